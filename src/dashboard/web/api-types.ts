/** The shapes of the JSON API as the dashboard reads them. */

import type { Static } from '@sinclair/typebox';
import type { DeliveryWithContent } from '../../delivery/schema.ts';
import type { ErrorEnvelope as Envelope } from '../../http/error-responses.ts';
import type { FlagName, OwnedName } from '../../storage/owned.ts';
import type { ChannelName, DeliveryState } from '../../storage/tables.ts';
import type { BulkTarget } from '../../submissions/bulk/schema.ts';
import type {
	SubmissionList,
	Submission as SubmissionSchema,
	SubmittedFile as SubmittedFileSchema,
} from '../../submissions/schema.ts';

export type { AuditEntry, AuditLog } from '../../audit/schema.ts';
export type { Delivery, DeliveryList, MailContent } from '../../delivery/schema.ts';
export type {
	CreateWebhook,
	UpdateWebhook,
	Webhook,
	WebhookTestResult,
	WebhookWithSecret,
} from '../../delivery/webhooks/schema.ts';
export type { CreateForm, Form, UpdateForm } from '../../forms/schema.ts';
export type { FieldSuggestion } from '../../forms/suggestion/suggest-fields.ts';
export type { ApiKey, CreateApiKey } from '../../keys/schema.ts';
export type { ChangeLists as ChangeSpamLists, Lists as SpamLists } from '../../spam/lists/schema.ts';
export type { ChannelName, DeliveryState, Mode, Permission } from '../../storage/tables.ts';
export type { BulkTarget } from '../../submissions/bulk/schema.ts';
export type { FileLink } from '../../submissions/files/schema.ts';
export type { AllStats } from '../../submissions/stats/schema.ts';
export type { OpenSession, SessionView as Session, SignedIn, SignInWays } from '../sessions/schema.ts';
export type { Status } from '../status/schema.ts';

export type Flags = Record<FlagName, boolean>;
export type Submission = Static<typeof SubmissionSchema>;
export type Owned = Pick<Submission, OwnedName>;
export type SubmittedFile = Static<typeof SubmittedFileSchema>;
export type SubmissionPage = Static<typeof SubmissionList>;
export type Pagination = SubmissionPage['pagination'];

/** Where a file is, by ids. */
export interface FileAddress {
	form: string;
	submission: string;
	file: string;
}

/** With the codes of the server, and those of an `ApiError` without a response. */
export type ErrorEnvelope = Omit<Envelope, 'code'> & { code: string };

/** The selected submissions: the same four parameters for lists, exports and bulk changes. */
export type Selection = Omit<BulkTarget, 'ids'>;

export interface ListQuery extends Selection {
	limit?: number;
	offset?: number;
	order?: 'asc' | 'desc';
}

/** The content of a delivery: a mail has a subject and text, a webhook request its JSON body. */
export interface DeliveryContent {
	subject?: string;
	from?: unknown;
	replyTo?: unknown;
	text?: string;
	html?: string;
	/** Set if a long text was cut off. */
	isCut?: true;
}

export type DeliveryDetail = Omit<DeliveryWithContent, 'content'> & { content: DeliveryContent | null };

export interface AuditQuery {
	action?: string;
	actor?: string;
	object?: string;
	since?: string;
	until?: string;
	limit?: number;
	offset?: number;
}

export interface DeliveryQuery {
	state?: DeliveryState;
	form?: string;
	channel?: ChannelName;
	limit?: number;
	offset?: number;
}
