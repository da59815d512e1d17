/** The shapes of the JSON API as the dashboard reads them. */

import type { Captcha, Channel, DeliveryState, Mode, Permission } from '../../storage/tables.ts';

export type { Captcha, Channel, DeliveryState, Mode, Permission };

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

export interface Form {
	id: string;
	name: string;
	slug: string;
	isActive: boolean;
	submissionCount: number;
	createdAt: string;
	notificationEmail: string | null;
	redirectUrl: string | null;
	allowedDomains: string[];
	captcha: Captcha | null;
	unreadCount: number;
	starredCount: number;
	spamCount: number;
	mode: Mode;
}

export type FormChange = Partial<
	Pick<Form, 'name' | 'slug' | 'isActive' | 'notificationEmail' | 'redirectUrl' | 'allowedDomains' | 'captcha'>
>;

export interface Flags {
	isRead: boolean;
	isStarred: boolean;
	isSpam: boolean;
}

export interface Submission extends Flags {
	id: string;
	data: Record<string, unknown>;
	createdAt: string;
	spamReason?: string;
}

export interface Pagination {
	limit: number;
	offset: number;
	total: number;
	hasMore: boolean;
}

export interface SubmissionPage {
	submissions: Submission[];
	fields: string[];
	pagination: Pagination;
}

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

export interface ApiKey {
	id: string;
	name: string;
	display: string;
	mode: Mode;
	form: string | null;
	permissions: Permission[];
	createdAt: string;
	expiresAt: string | null;
	lastUsedAt: string | null;
	revokedAt: string | null;
}

export interface NewKey {
	name: string;
	permissions?: Permission[];
	form?: string | null;
	expiresAt?: string | null;
}

export interface Delivery {
	id: string;
	channel: Channel;
	state: DeliveryState;
	destination: string;
	attempts: number;
	nextAttemptAt: string | null;
	createdAt: string;
	finishedAt: string | null;
	lastError: string | null;
	form: string;
	submission: string | null;
	event: string;
	/** Only when a single delivery is read. */
	content?: DeliveryContent | null;
}

/** What was sent or captured; a mail has a subject and text, a webhook a body. */
export interface DeliveryContent {
	subject?: string;
	from?: string | { name?: string; address: string };
	to?: unknown;
	replyTo?: unknown;
	text?: string;
	html?: string;
	[member: string]: unknown;
}

export interface DeliveryQuery {
	state?: DeliveryState;
	form?: string;
	channel?: Channel;
	limit?: number;
	offset?: number;
}

export interface Webhook {
	id: string;
	url: string;
	events: string[];
	isActive: boolean;
	disabledReason: string | null;
	/** When the present run of failed attempts began. */
	failingSince: string | null;
	createdAt: string;
	/** Only in the answer that made or rotated it. */
	secret?: string;
}

/** What came of a test event. */
export interface WebhookTestResult {
	delivered: boolean;
	status: number | null;
	error: string | null;
	answer: string | null;
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
