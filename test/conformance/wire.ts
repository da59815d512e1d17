/** The interface as promised to its callers, written down a second time on purpose. */

export interface FormBody {
	id: string;
	name: string;
	slug: string;
	isActive: boolean;
	submissionCount: number;
	createdAt: string;
	notificationEmail: string | null;
	redirectUrl: string | null;
	allowedDomains: string[];
}

export interface SubmissionBody {
	id: string;
	data: Record<string, unknown>;
	createdAt: string;
	isRead: boolean;
	isStarred: boolean;
	isSpam: boolean;
	isPending: boolean;
	confirmedAt: string | null;
	isArchived: boolean;
	labels: string[];
	note: string | null;
	spamScore: number;
	spamReasons: unknown[];
	meta: object | null;
	files: { id: string; field: string; name: string; size: number }[];
}

export interface ListBody {
	submissions: SubmissionBody[];
	fields: string[];
	pagination: { limit: number; offset: number; total: number; hasMore: boolean };
}

export interface ErrorBody {
	error: string;
	code: string;
	errors?: { field: string; code: string; message: string }[];
	requestId: string;
	success?: false;
	message?: string;
}

/** ISO 8601 in UTC, to the millisecond. */
export const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
