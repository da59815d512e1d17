/** Where a browser starts to sign in by OpenID Connect. */
export const OIDC_PATH = '/api/session/oidc';
/** Where the provider sends it back to. */
export const CALLBACK_PATH = `${OIDC_PATH}/callback`;
