/** A form's own members where its fields hide them: a field named `action` or `reset` replaces `form.action` or `form.reset`. */

/** A view of a form for reading its members and calling its methods; not for handing to the browser as a form. */
export function withoutShadows(form: HTMLFormElement): HTMLFormElement {
	return new Proxy(form, {
		get(_, name) {
			const member = Reflect.get(HTMLFormElement.prototype, name, form);
			return typeof member === 'function' ? member.bind(form) : member;
		},
	});
}
