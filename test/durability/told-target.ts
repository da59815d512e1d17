/** A webhook's target that notes what it was told, and by which deliveries. */

export function startTarget() {
	/** By what they say, the ids of their deliveries. */
	const told = new Map<string, Set<string>>();
	const target = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			const { type, data } = (await request.json()) as { type: string; data: { submission: { id: string } } };
			const what = `${type} ${data.submission.id}`;
			told.set(what, (told.get(what) ?? new Set()).add(request.headers.get('webhook-id') ?? ''));
			return new Response(null, { status: 204 });
		},
	});
	return { told, target };
}
