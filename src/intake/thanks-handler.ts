/** The thank-you page at its addresses: that of a form, in the words of its owner, and one without a form. */

import { AppError } from '../errors.ts';
import { noRoute } from '../http/method-guard.ts';
import type { FormRow } from '../storage/tables.ts';
import type { Intake } from './intake.ts';
import { thankYouPage } from './pages/pages.ts';
import { backUrlOf, pageResponse, preflight, translationFor } from './responses.ts';

const METHODS = ['GET', 'HEAD', 'OPTIONS'];

type FindForm = () => FormRow | Promise<FormRow>;

/** Also handles the preflight of a redirected script that sent a header such as Idempotency-Key. */
export function createThanksHandler({ thanksDropped }: Pick<Intake, 'thanksDropped'>, fallback: string) {
	return async (request: Request, findForm?: FindForm): Promise<Response> => {
		const { method, headers } = request;
		if (method === 'OPTIONS') return preflight(request, { form: undefined, methods: METHODS.join(', ') });
		if (!METHODS.includes(method)) throw noRoute(METHODS);
		const form = findForm && (await Promise.try(findForm).catch(unlessUnknown));
		// The visitor is thanked, whatever the database does.
		const dropped = await thanksDropped(new URL(request.url).searchParams).catch(() => ({}));
		const translation = await translationFor(request, { form, fallback });
		const page = thankYouPage(translation, {
			...dropped,
			backUrl: backUrlOf(headers),
			pages: form?.pages,
			isPending: Boolean(form?.confirm),
		});
		return pageResponse(page, { 'Access-Control-Allow-Origin': '*' });
	};
}

function unlessUnknown(error: unknown): undefined {
	if (error instanceof AppError && error.code === 'FORM_NOT_FOUND') throw error;
}
