"""The port `Invokers` on the OpenID Connect tokens of service accounts."""
