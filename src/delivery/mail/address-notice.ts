/** The mail to a form's former notification addresses after a change; it contains no submitted content. */

import { encodeId } from '../../ids.ts';
import { envelopeOf, formUrl, type Mail, type MailIdentity, type NotifiedForm } from './email.ts';
import { renderNotice } from './notice.ts';
import { tidySubject } from './subject.ts';

export function renderAddressNotice(
	identity: MailIdentity,
	{ id, madeAt, form, to }: { id: number; madeAt: Date; form: NotifiedForm; to: string[] },
): Mail {
	const changedAt = `${madeAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
	const title = 'Notification address changed';
	const name = tidySubject(form.name);
	const what = `The notification addresses of the form "${name}" were changed at ${changedAt}. The former ones: ${to.join(', ')}.`;
	const advice =
		'If you did not expect this, check the settings of the form. The server’s log names the key or session that changed them.';
	const at = madeAt;
	return {
		...renderNotice(identity, {
			to,
			title,
			subject: tidySubject(`${title}: ${form.name}`),
			heading: name,
			paragraphs: [what, advice],
			link: { url: `${formUrl(identity, form.id)}/settings`, label: 'Open the settings of the form' },
			footer: `Sent because this address received the notifications of ${name} until now.`,
			key: '',
			at,
		}),
		...envelopeOf(identity, { form, to, key: `address.${encodeId(id)}`, at }),
	};
}
