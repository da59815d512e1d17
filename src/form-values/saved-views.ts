/** Pure: the saved views of a form: queries of its inbox under names. For browsers too. */

export const VIEWS_MAX = 20;
/** In characters. */
export const VIEW_NAME_MAX = 60;
export const VIEW_QUERY_MAX = 2000;

export interface SavedView {
	name: string;
	/** As in the address of the inbox, such as `filter=unread&label=urgent`. */
	query: string;
}
