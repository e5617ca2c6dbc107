// Proves that a call comes from this page (Firebase App Check with reCAPTCHA Enterprise).
import { ReCaptchaEnterpriseProvider, getToken, initializeAppCheck } from "firebase/app-check";

/** @returns {() => Promise<string>} the current proof */
export function prove(app, told) {
  const check = initializeAppCheck(app, { provider: new ReCaptchaEnterpriseProvider(told.app_check), isTokenAutoRefreshEnabled: true });
  return () => getToken(check).then(({ token }) => token);
}
