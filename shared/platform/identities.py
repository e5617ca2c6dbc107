"""Who may call: the users of `chat`, their apps, and the platform's own services."""

from collections.abc import Mapping

from shared.adapters.app_check.firebase import FirebaseAppCheck
from shared.adapters.eventarc.decode import CreatedEvents
from shared.adapters.firebase_identity.signed import FirebaseIdentity
from shared.adapters.firebase_identity.unsigned import UnsignedIdentity
from shared.adapters.google_keys.public_keys import PublicKeys
from shared.adapters.google_keys.sources import APP_CHECK_TOKENS, FIREBASE_TOKENS, SERVICE_TOKENS
from shared.adapters.service_identity.invokers import ServiceInvokers
from shared.adapters.system_clock import SystemClock
from shared.config.platform import FirestoreSettings, IdentitySettings, InvokerSettings
from shared.ports.clock import Clock
from shared.ports.identity import AppCheck, Identity
from shared.web.invoker_auth import InvokerAuth


def user_identity(settings: IdentitySettings, clock: Clock, environment: Mapping[str, str]) -> Identity:
    """Return what verifies the users' tokens.

    Raises:
        ConfigError: Unsigned tokens are asked for in the cloud.
    """
    if settings.unsigned or settings.emulator:
        return UnsignedIdentity(settings.project, clock, environment)
    keys = PublicKeys(FIREBASE_TOKENS.at(settings.certs_url), clock)
    return FirebaseIdentity(settings.project, keys, clock)


def app_check(settings: IdentitySettings, clock: Clock) -> AppCheck | None:
    """Return what verifies the apps, if they are to be verified."""
    if not settings.app_check or settings.project_number is None:
        return None
    keys = PublicKeys(APP_CHECK_TOKENS.at(settings.app_check_certs_url), clock)
    return FirebaseAppCheck(settings.project_number, keys, clock, settings.app_ids)


def invoker_auth(environment: Mapping[str, str]) -> InvokerAuth:
    """Return the authenticator of a background function.

    Raises:
        ConfigError: A variable is missing or wrong.
    """
    settings, clock = InvokerSettings.read(environment), SystemClock()
    keys = PublicKeys(SERVICE_TOKENS.at(settings.certs_url), clock)
    invokers = ServiceInvokers(settings.invokers, settings.audiences, keys, clock, behind_iam=settings.behind_iam)
    firestore = FirestoreSettings.read(environment)
    return InvokerAuth(invokers, CreatedEvents(firestore.project, firestore.database))
