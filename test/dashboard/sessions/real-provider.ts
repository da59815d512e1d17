/** A real provider of OpenID Connect for tests, oidc-provider: it signs in whomever the test says, without asking. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const CLIENT = { id: 'formsrv', secret: 'a-secret-of-the-client' };

interface Person {
	email?: string;
	email_verified?: boolean;
}

/** It can be asked for its issuer at once, and serves once it knows where it may send browsers to. */
export async function startProvider() {
	const server = createServer();
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
	const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const people = new Map<string, Person>();
	let next = '';
	let isDenied = false;

	return {
		issuer,
		/** Who is signed in next. */
		person(claims: Person): void {
			next = crypto.randomUUID();
			isDenied = false;
			people.set(next, claims);
		},
		/** The next person does not agree. */
		deny(): void {
			isDenied = true;
		},
		async serve(redirectUri: string): Promise<void> {
			const provider = new Provider(issuer, {
				clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
				cookies: { keys: ['for-tests'] },
				claims: { openid: ['sub'], email: ['email', 'email_verified'] },
				features: { devInteractions: { enabled: false } },
				pkce: { required: () => true },
				jwks: { keys: [await signingKey()] },
				interactions: { url: (_, { uid }) => `/interaction/${uid}` },
				findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...people.get(accountId) }) }),
				async loadExistingGrant({ oidc }) {
					const { client, session, provider: own } = oidc;
					const grant = new own.Grant({ clientId: client?.clientId, accountId: session?.accountId });
					grant.addOIDCScope('openid email');
					await grant.save();
					return grant;
				},
			});
			const respond = provider.callback();
			server.on('request', async (request, response) => {
				if (!request.url?.startsWith('/interaction/')) return respond(request, response);
				const result = isDenied ? { error: 'access_denied' } : { login: { accountId: next, remember: false } };
				await provider.interactionFinished(request, response, result);
			});
		},
		async close(): Promise<void> {
			server.closeAllConnections();
			await new Promise((closed) => server.close(closed));
		},
	};
}

async function signingKey() {
	const algorithm = { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
	const { privateKey } = await crypto.subtle.generateKey({ ...algorithm, hash: 'SHA-256' }, true, ['sign', 'verify']);
	const { key_ops: _, ext: __, ...jwk } = await crypto.subtle.exportKey('jwk', privateKey);
	return { ...jwk, kid: 'test', alg: 'RS256', use: 'sig' } as never;
}
