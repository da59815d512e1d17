/** Parses and builds the hash addresses of the dashboard's views. */

import { DAY, isViewParameter, type TABS } from '../../forms/kinds/views.ts';
import { mapWordLists, type WordCriterion } from '../../storage/owned.ts';

export type Tab = (typeof TABS)[number];

/** The view of the inbox; days are local dates `YYYY-MM-DD`, `page` counts from 1. */
export interface InboxQuery extends Record<WordCriterion, string> {
	filter: Tab;
	search: string;
	from: string;
	to: string;
	page: number;
	order: 'asc' | 'desc';
}

/** The listed deliveries. */
export interface DeliveriesPlace {
	state: string;
	form: string;
	page: number;
}

/** The listed entries of the audit log. */
export interface AuditPlace {
	action: string;
	actor: string;
	object: string;
	from: string;
	to: string;
	page: number;
}

export type Route =
	| { view: 'forms' }
	| { view: 'inbox'; form: string; submission: string | null; query: InboxQuery }
	| { view: 'connect'; form: string }
	| { view: 'form-settings'; form: string; group: string }
	| ({ view: 'deliveries'; delivery: string | null } & DeliveriesPlace)
	| ({ view: 'audit' } & AuditPlace)
	| { view: 'keys' }
	| { view: 'settings' }
	| { view: 'setup'; token: string }
	| { view: 'signed-in' }
	| { view: 'not-found' };

export const EMPTY_QUERY: InboxQuery = {
	filter: 'all',
	...mapWordLists('one', () => ''),
	search: '',
	from: '',
	to: '',
	page: 1,
	order: 'desc',
};

function pageOf(params: URLSearchParams): number {
	const page = Number(params.get('page') ?? '1');
	return Number.isInteger(page) && page > 0 ? page : 1;
}

function dayOf(params: URLSearchParams, name: string): string {
	const day = params.get(name) ?? '';
	return DAY.test(day) ? day : '';
}

function inboxQuery(params: URLSearchParams): InboxQuery {
	return { ...EMPTY_QUERY, ...Object.fromEntries([...params].filter(isViewParameter)), page: pageOf(params) };
}

function decoded(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

function formRoute([, form = '', section, submission]: string[], params: URLSearchParams): Route {
	if (section === undefined) return { view: 'inbox', form, submission: null, query: inboxQuery(params) };
	if (section === 'submissions' && submission) return { view: 'inbox', form, submission, query: inboxQuery(params) };
	if (section === 'connect') return { view: 'connect', form };
	if (section === 'settings') return { view: 'form-settings', form, group: params.get('group') ?? '' };
	return { view: 'not-found' };
}

/** Reads a location hash such as `#/forms/abc?filter=unread`. */
export function parseHash(hash: string): Route {
	const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2);
	const parts = path.split('/').filter(Boolean).map(decoded);
	const params = new URLSearchParams(search);
	const [first, second] = parts;
	const text = (name: string) => params.get(name) ?? '';
	if (first === undefined || (first === 'forms' && second === undefined)) return { view: 'forms' };
	if (first === 'forms') return formRoute(parts, params);
	if (first === 'deliveries') {
		const place = { state: text('state'), form: text('form'), page: pageOf(params) };
		return { view: 'deliveries', delivery: second ?? null, ...place };
	}
	if (first === 'audit') {
		const days = { from: dayOf(params, 'from'), to: dayOf(params, 'to') };
		const [action, actor, object] = [text('action'), text('actor'), text('object')];
		return { view: 'audit', action, actor, object, ...days, page: pageOf(params) };
	}
	if (first === 'setup' && second) return { view: 'setup', token: second };
	if (first === 'keys' || first === 'settings' || first === 'signed-in') return { view: first };
	return { view: 'not-found' };
}

type QueryValues = Record<string, string | number>;

function address(parts: string[], query: QueryValues = {}, defaults: QueryValues = {}): string {
	const pairs = Object.entries(query).filter(([name, value]) => value !== '' && value !== defaults[name]);
	const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
	return `#/${parts.map(encodeURIComponent).join('/')}${text && `?${text}`}`;
}

/** A view as it is saved: without the page. */
export function savedQuery(query: InboxQuery): string {
	return address([], { ...query, page: 1 }, { ...EMPTY_QUERY }).replace(/^[^?]*\??/, '');
}

/** The inbox as it was saved. */
export const openedQuery = (saved: string): InboxQuery => inboxQuery(new URLSearchParams(saved));

/** The address of every view. */
export const to = {
	forms: () => '#/',
	inbox: (form: string, query: Partial<InboxQuery> = {}) => address(['forms', form], query, { ...EMPTY_QUERY }),
	submission: (form: string, id: string, query: Partial<InboxQuery> = {}) =>
		address(['forms', form, 'submissions', id], query, { ...EMPTY_QUERY }),
	connect: (form: string) => address(['forms', form, 'connect']),
	/** @param group to go to on that page */
	formSettings: (form: string, group = '') => address(['forms', form, 'settings'], { group }),
	deliveries: (place: Partial<DeliveriesPlace> = {}) => address(['deliveries'], place, { page: 1 }),
	delivery: (id: string, place: Partial<DeliveriesPlace> = {}) => address(['deliveries', id], place, { page: 1 }),
	audit: (place: Partial<AuditPlace> = {}) => address(['audit'], place, { page: 1 }),
	keys: () => '#/keys',
	settings: () => '#/settings',
};
