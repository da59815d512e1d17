/** A provider of OpenID Connect that says what a test wants it to say. */

interface Token {
	header?: object;
	claims?: object;
	/** Signs with a key that is not in the published set. */
	isForged?: boolean;
}

const ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
const newKeys = () => crypto.subtle.generateKey({ ...ALGORITHM, hash: 'SHA-256' }, true, ['sign', 'verify']);
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

export async function startHostileProvider(clientId: string) {
	let [own, foreign] = await Promise.all([newKeys(), newKeys()]);
	const publish = async () => ({
		...(await crypto.subtle.exportKey('jwk', own.publicKey)),
		...{ kid: 'k', alg: 'RS256', use: 'sig' },
	});
	let published = await publish();
	let token: Token = {};
	let metadata: object = {};
	let nonce = '';
	const answers: Record<string, () => Response | Promise<Response>> = {};
	const server = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		fetch(request) {
			const { pathname } = new URL(request.url);
			return answers[pathname]?.() ?? new Response(null, { status: 404 });
		},
	});
	const issuer = `http://127.0.0.1:${server.port}`;

	async function idToken(): Promise<string> {
		const now = Math.floor(Date.now() / 1000);
		const standard = { iss: issuer, aud: clientId, sub: 'ada', iat: now, exp: now + 60, nonce };
		const claims = { ...standard, email: 'ada@example.org', email_verified: true, ...token.claims };
		const head = `${encoded({ alg: 'RS256', kid: 'k', ...token.header })}.${encoded(claims)}`;
		const key = token.isForged ? foreign.privateKey : own.privateKey;
		const signature = await crypto.subtle.sign(ALGORITHM.name, key, new TextEncoder().encode(head));
		return `${head}.${Buffer.from(signature).toString('base64url')}`;
	}

	const describe = () =>
		Response.json({
			issuer,
			authorization_endpoint: `${issuer}/authorize`,
			token_endpoint: `${issuer}/token`,
			jwks_uri: `${issuer}/jwks`,
			id_token_signing_alg_values_supported: ['RS256'],
			authorization_response_iss_parameter_supported: true,
			...metadata,
		});

	function reset(): void {
		token = {};
		metadata = {};
		answers['/.well-known/openid-configuration'] = describe;
		answers['/jwks'] = () => Response.json({ keys: [published] });
		const respond = async () => Response.json({ access_token: 'a', token_type: 'Bearer', id_token: await idToken() });
		Object.assign(answers, { '/token': respond, '/moved/token': respond });
	}
	reset();

	return {
		issuer,
		reset,
		/** Sets what the next ID token has in place of what is right. */
		say: (next: Token) => {
			token = next;
		},
		/** Signs with another key from now on, of the same name. */
		async rotate(): Promise<void> {
			[own, foreign] = [foreign, own];
			published = await publish();
		},
		describeAs: (next: object) => {
			metadata = next;
		},
		answer: (path: string, respond: () => Response | Promise<Response>) => {
			answers[path] = respond;
		},
		/** Makes the query that a browser brings back from an address that it was sent to. */
		response(location: string, change: Record<string, string | null> = {}): string {
			const { searchParams } = new URL(location);
			nonce = searchParams.get('nonce') ?? '';
			const answer = { code: 'c', state: searchParams.get('state'), iss: issuer, ...change };
			const sent = Object.entries(answer).filter((pair): pair is [string, string] => pair[1] !== null);
			return new URLSearchParams(sent).toString();
		},
		close: () => server.stop(true),
	};
}
