/** Access to a form's own members: a field named `action` or `reset` shadows `form.action` or `form.reset`. */

/** A proxy to read a form's members and call its methods; do not pass it to browser APIs as a form. */
export function withoutShadows(form: HTMLFormElement): HTMLFormElement {
	return new Proxy(form, {
		get(_, name) {
			const member = Reflect.get(HTMLFormElement.prototype, name, form);
			return typeof member === 'function' ? member.bind(form) : member;
		},
	});
}

/** The buttons that submit a form, which may stand outside it. */
export function buttonsOf(form: HTMLFormElement): HTMLButtonElement[] {
	const all = document.querySelectorAll<HTMLButtonElement>('button,input');
	return [...all].filter((button) => button.form === form && /submit|image/.test(button.type));
}
