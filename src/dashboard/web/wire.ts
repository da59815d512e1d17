/** The shapes of the JSON API as the dashboard reads them. */

import type { Static } from '@sinclair/typebox';
import type { Delivery, DeliveryList, DeliveryWithContent } from '../../delivery/schema.ts';
import type { Webhook, WebhookTestResult, WebhookWithSecret } from '../../delivery/webhooks/schema.ts';
import type { Form } from '../../forms/schema.ts';
import type { ApiKey } from '../../keys/schema.ts';
import type { Captcha, Channel, DeliveryState, Mode, Permission } from '../../storage/tables.ts';
import type { SubmissionList, Submission as SubmissionSchema } from '../../submissions/schema.ts';

export type {
	ApiKey,
	Captcha,
	Channel,
	Delivery,
	DeliveryList,
	DeliveryState,
	Form,
	Mode,
	Permission,
	Webhook,
	WebhookTestResult,
	WebhookWithSecret,
};

export interface Session {
	mode: Mode;
	modes: Mode[];
	permissions: Permission[];
	/** The only form a form-level key may see. */
	form: string | null;
	/** That form's name. */
	formName?: string;
	version: string;
	baseUrl: string;
	submitUrl: string;
	expiresAt: string;
}

export type FormChange = Partial<
	Pick<Form, 'name' | 'slug' | 'isActive' | 'notificationEmail' | 'redirectUrl' | 'allowedDomains' | 'captcha'>
>;

export interface Flags {
	isRead: boolean;
	isStarred: boolean;
	isSpam: boolean;
}

export type Submission = Static<typeof SubmissionSchema>;
export type SubmissionPage = Static<typeof SubmissionList>;
export type Pagination = SubmissionPage['pagination'];

export const FILTERS = ['all', 'unread', 'starred', 'spam'] as const;
export type Filter = (typeof FILTERS)[number];

/** Which submissions are meant: the same four parameters for lists, exports and bulk changes. */
export interface Selection {
	filter?: Filter;
	search?: string;
	since?: string;
	until?: string;
}

export interface ListQuery extends Selection {
	limit?: number;
	offset?: number;
	order?: 'asc' | 'desc';
}

export type BulkTarget = { ids: string[] } | Selection;

export interface NewKey {
	name: string;
	permissions?: Permission[];
	form?: string | null;
	expiresAt?: string | null;
}

/** What was sent or captured; a mail has a subject and text, a webhook a body of its own shape. */
export interface DeliveryContent {
	subject?: string;
	from?: unknown;
	replyTo?: unknown;
	text?: string;
	html?: string;
}

/** A delivery read by itself. */
export type DeliveryDetail = Omit<DeliveryWithContent, 'content'> & { content: DeliveryContent | null };

export interface DeliveryQuery {
	state?: DeliveryState;
	form?: string;
	channel?: Channel;
	limit?: number;
	offset?: number;
}

export interface Status {
	version: string;
	uptimeSeconds: number;
	database: { sizeBytes: number; walBytes: number; freeBytes: number };
	settings: { name: string; value: string | null; source: string }[];
	mail: { configured: boolean; from: string | null };
	queue: { waiting: number; failed: number };
	health: string;
}

export interface ErrorEnvelope {
	error: string;
	code: string;
	errors?: { field: string; code: string; message: string }[];
	requestId?: string;
}
