"""The settings of a deployed page, as Terraform gives them (`infra/outputs.tf`)."""

CHAT = "https://chat-123456789012.asia-northeast3.run.app"
APP = {
    "apiKey": "AIza-0_9",
    "appId": "1:123456789012:web:0123456789abcdef",
    "authDomain": "cbot-dev-example.firebaseapp.com",
    "projectId": "cbot-dev-example",
}
WEB = {"api": CHAT, "database": "(default)", "google": False, "app_check": "", "firebase": APP}
