"""The Content Security Policy of a deployed page: that of firebase.json, narrowed to what the deployment uses.

Every origin beside our own is Firebase's, or one that Firebase's SDK loads; docs/decisions/0052 says what for.
"""

from infra.hosting.settings import WebSettings

FIREBASE = (
    "https://firestore.googleapis.com",
    "https://identitytoolkit.googleapis.com",
    "https://securetoken.googleapis.com",
)
"""Listeners; sign-in; renewal of tokens."""


def narrowed(policy: str, settings: WebSettings) -> str:
    """Return the policy with the deployment's own address of chat, and with the origins of what is switched on."""
    directives = dict(part.strip().partition(" ")[::2] for part in policy.split(";"))
    connect, script, frame = [settings.api, *FIREBASE], [], []
    if settings.google:
        # The SDK talks to the window of the provider through Google's frame library.
        script += ["https://apis.google.com/js/api.js", "https://apis.google.com/_/scs/"]
        frame += [f"https://{settings.firebase.auth_domain}"]
    if settings.app_check:
        script += ["https://www.google.com/recaptcha/", "https://www.gstatic.com/recaptcha/"]
        frame += ["https://www.google.com/recaptcha/", "https://recaptcha.google.com/recaptcha/"]
        connect += ["https://content-firebaseappcheck.googleapis.com", "https://www.google.com/recaptcha/"]
    directives["connect-src"] = " ".join(["'self'", *connect])
    if script:
        directives["script-src"] = " ".join(["'self'", *script])
        directives["frame-src"] = " ".join(["'self'", *frame])
    return "; ".join(f"{name} {value}" for name, value in directives.items())
