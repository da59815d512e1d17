/** Signs people in at a provider of OpenID Connect: authorization code flow with PKCE, by oauth4webapi. */

import type * as oauth from 'oauth4webapi';
import type { OidcProvider } from '../../../config.ts';
import { memberAddress } from '../../../keys/member-address.ts';
import { open, readBeginning } from '../../../network/bounded-response.ts';
import { HOUR_MS } from '../../../tasks/durations.ts';
import { lazy } from '../../../tasks/lazy.ts';
import type { Flow } from './flow-cookie.ts';

const TIMEOUT_MS = 10_000;
/** A set of keys with certificates has some ten thousand. */
const MAX_RESPONSE_BYTES = 256 * 1024;
/** For how long the description of the provider is remembered. */
const METADATA_MS = HOUR_MS;
const CLOCK_TOLERANCE_SECONDS = 30;

/** Why a person is not signed in. */
export class SignInProblem extends Error {
	readonly kind: 'away' | 'refused' | 'invalid' | 'unverified';

	/** @param message For the log. */
	constructor(kind: SignInProblem['kind'], message: string) {
		super(message);
		this.kind = kind;
	}
}

interface Options {
	provider: OidcProvider;
	redirectUri: string;
	now: () => number;
}

export type Oidc = ReturnType<typeof createOidc>;

export function createOidc({ provider: { issuer, clientId, clientSecret }, redirectUri, now }: Options) {
	/** Few servers have a provider, and few requests need it. */
	const load = lazy(() => import('oauth4webapi'));
	let jwks: oauth.JWKSCacheInput = {};
	let described: { at: number; metadata: Promise<oauth.AuthorizationServer> } | undefined;

	async function setUp() {
		const lib = await load();
		const client: oauth.Client = { client_id: clientId, [lib.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
		const options = {
			[lib.customFetch]: boundedFetch,
			// The setting allows http for this machine alone.
			[lib.allowInsecureRequests]: new URL(issuer).protocol === 'http:',
		};
		return { lib, client, options, as: await metadata(lib, options) };
	}

	/** The provider's description of itself, remembered for a while; a failure is not. */
	function metadata(lib: typeof oauth, options: oauth.DiscoveryRequestOptions): Promise<oauth.AuthorizationServer> {
		const age = now() - (described?.at ?? 0);
		if (described && age >= 0 && age < METADATA_MS) return described.metadata;
		const asked = discover(lib, options);
		described = { at: now(), metadata: asked };
		asked.catch(() => {
			if (described?.metadata === asked) described = undefined;
		});
		return asked;
	}

	async function discover(lib: typeof oauth, options: oauth.DiscoveryRequestOptions) {
		try {
			const response = await lib.discoveryRequest(new URL(issuer), options);
			if (response.status !== 200) throw new Error(`no provider describes itself there (status ${response.status})`);
			const found = await lib.processDiscoveryResponse(new URL(issuer), response);
			// The library takes one that differs by a slash at its end for the same.
			if (found.issuer !== issuer) throw new Error(`its issuer is ${found.issuer}`);
			const { protocol } = new URL(found.authorization_endpoint ?? '');
			if (protocol !== 'https:' && protocol !== new URL(issuer).protocol) throw new Error(`it leads to ${protocol}`);
			return found;
		} catch (error) {
			throw new SignInProblem('away', `FORMSRV_OIDC_ISSUER, ${issuer}: ${messageOf(error)}`);
		}
	}

	function authentication(lib: typeof oauth, as: oauth.AuthorizationServer): oauth.ClientAuth {
		if (clientSecret === null) return lib.None();
		const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = as;
		return methods.includes('client_secret_basic')
			? lib.ClientSecretBasic(clientSecret)
			: lib.ClientSecretPost(clientSecret);
	}

	/** The claims about the person: those of the ID token, or if these leave the address or its verification open, those of the userinfo. */
	async function claimsOf(query: URLSearchParams, { state, nonce, verifier }: Flow): Promise<oauth.JsonObject> {
		const { lib, client, options, as } = await setUp();
		const parameters = lib.validateAuthResponse(as, client, query, state);
		const auth = authentication(lib, as);
		const response = await lib.authorizationCodeGrantRequest(
			...([as, client, auth, parameters, redirectUri, verifier, options] as const),
		);
		const tokens = await lib.processAuthorizationCodeResponse(as, client, response, {
			expectedNonce: nonce,
			requireIdToken: true,
		});
		await lib.validateApplicationLevelSignature(as, response, { ...options, [lib.jwksCache]: jwks });
		const claims = lib.getValidatedIdTokenClaims(tokens);
		if (!claims) throw new SignInProblem('invalid', 'There was no ID token.');
		const isWhole = claims.email !== undefined && claims.email_verified !== undefined;
		if (isWhole || as.userinfo_endpoint === undefined) return claims;
		const more = await lib.userInfoRequest(as, client, tokens.access_token, options);
		return lib.processUserInfoResponse(as, client, claims.sub, more);
	}

	return {
		/** Where to send the browser, and what its response must fit. @throws SignInProblem */
		async begin(): Promise<{ url: URL; flow: Flow }> {
			const { lib, as } = await setUp();
			const flow = {
				state: lib.generateRandomState(),
				nonce: lib.generateRandomNonce(),
				verifier: lib.generateRandomCodeVerifier(),
			};
			const url = new URL(as.authorization_endpoint as string);
			const parameters = {
				client_id: clientId,
				response_type: 'code',
				redirect_uri: redirectUri,
				scope: 'openid email',
				state: flow.state,
				nonce: flow.nonce,
				code_challenge: await lib.calculatePKCECodeChallenge(flow.verifier),
				code_challenge_method: 'S256',
			};
			for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
			return { url, flow };
		},
		/** The address, in lower case, of the person with whom the browser came back; the provider has verified it. @throws SignInProblem */
		async finish(query: URLSearchParams, flow: Flow): Promise<string> {
			const { email, email_verified: isVerified } = await claimsOf(query, flow).catch(async (error) => {
				// Its keys or addresses may be others by now: the next try asks for them.
				described = undefined;
				jwks = {};
				throw problemOf(error, await load());
			});
			const address = typeof email === 'string' ? memberAddress(email) : undefined;
			if (address !== undefined && isVerified === true) return address;
			throw new SignInProblem(
				'unverified',
				address === undefined ? 'It named no mail address.' : 'It did not say that the mail address is verified.',
			);
		},
	};
}

/** Within bounds of time and size, whatever the provider sends. @throws SignInProblem if it cannot be reached */
async function boundedFetch(url: string, { method, headers, body }: oauth.CustomFetchOptions<string, unknown>) {
	try {
		const response = await open(url, {
			method,
			headers: { ...headers, 'accept-encoding': 'identity' },
			...(body != null && { body: body as BodyInit }),
			signal: AbortSignal.timeout(TIMEOUT_MS),
		});
		const text = await readBeginning(response, MAX_RESPONSE_BYTES);
		if (response.status < 500) {
			return new Response(text || null, { status: response.status, headers: response.headers });
		}
		throw new Error(`it responded with status ${response.status}`);
	} catch (error) {
		throw new SignInProblem('away', `${url}: ${messageOf(error)}`);
	}
}

/** A response that does not fit has many causes, of which the person can do the same about all. */
function problemOf(error: unknown, { AuthorizationResponseError }: typeof oauth): SignInProblem {
	if (error instanceof SignInProblem) return error;
	return new SignInProblem(error instanceof AuthorizationResponseError ? 'refused' : 'invalid', messageOf(error));
}

/** Without the causes that the library attaches, which contain tokens. */
function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const { error: code } = error as { error?: unknown };
	return typeof code === 'string' ? `${error.message} (${code})` : error.message;
}
