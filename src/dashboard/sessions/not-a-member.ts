/** The sentence for a person whom a proxy or a provider knows, and this server does not: no account is ever made by itself. */

export function notAMember(email: string): string {
	return `${email} is not a member here, or not any more. Ask the operator of this server to add you.`;
}
