/** Messages to the visitor after sending: a region for success, one for errors, and fields marked as invalid. */

import { withoutShadows } from './form-members.ts';
import { sentencesFor } from './language.ts';

interface Regions {
	status: HTMLElement;
	alert: HTMLElement;
	/** Unmark the fields. */
	undo: (() => void)[];
}

interface Failure {
	/** The server's sentence; `undefined` without a response. */
	text: string | undefined;
	fields: { field: string; message: string }[];
	retry: (() => void) | undefined;
}

const regions = new WeakMap<HTMLFormElement, Regions>();
let lastId = 0;

/** Inserts the empty regions: screen readers announce only changes of existing regions. */
export function prepareMessages(form: HTMLFormElement): Regions {
	let own = regions.get(form);
	if (!own) {
		own = { status: createRegion('status', 'success'), alert: createRegion('alert', 'error'), undo: [] };
		regions.set(form, own);
	}
	const plain = withoutShadows(form);
	for (const region of [own.status, own.alert]) speakIn(region, form);
	if (!own.status.isConnected) plain.after(own.status);
	if (!own.alert.isConnected) (plain.querySelector('[data-formsrv-message]') ?? plain).append(own.alert);
	return own;
}

/** Its language is that of the server's response, which need not be that of the page. */
function speakIn(element: HTMLElement, form: HTMLFormElement): void {
	element.lang = sentencesFor(form).language;
	element.dir = 'auto';
}

function createRegion(role: string, name: string): HTMLElement {
	const region = create('div');
	region.setAttribute('role', role);
	region.className = `formsrv-${name}`;
	region.tabIndex = -1;
	return region;
}

function create<K extends keyof HTMLElementTagNameMap>(tag: K, text = ''): HTMLElementTagNameMap[K] {
	const element = document.createElement(tag);
	element.textContent = text;
	return element;
}

export function clearMessages(form: HTMLFormElement): void {
	const own = regions.get(form);
	own?.status.replaceChildren();
	own?.alert.replaceChildren();
	for (const undo of own?.undo.splice(0) ?? []) undo();
}

interface Success {
	/** Names of files that were left out. */
	dropped: string[];
	/** Where the visitor goes on from there. */
	target: string | undefined;
	/** The server's sentence about what the visitor has yet to do. */
	toDo: string | undefined;
}

/** Replaces the form with the thanks, or shows it below the form if that is kept. */
export function showSuccess(form: HTMLFormElement, { dropped, target, toDo }: Success): void {
	const plain = withoutShadows(form);
	const { status } = prepareMessages(form);
	const { thanks, dropped: intro, goOn } = sentencesFor(form);
	status.append(create('p', toDo || plain.getAttribute('data-formsrv-success') || thanks));
	if (dropped.length > 0) {
		const list = create('ul');
		list.append(...dropped.map((name) => create('li', name)));
		status.append(create('p', plain.getAttribute('data-formsrv-dropped') || intro), list);
	}
	if (target) {
		const link = create('a', plain.getAttribute('data-formsrv-continue') || goOn);
		link.href = target;
		status.append(link);
	}
	if (!plain.hasAttribute('data-formsrv-keep')) plain.style.display = 'none';
	// The button for another try, if that was pressed, is gone.
	else if (document.activeElement !== document.body) return;
	status.focus();
}

/** Shows the error, and those of fields at the fields, and focuses the first of these. */
export function showError(form: HTMLFormElement, { text, fields, retry }: Failure): void {
	const plain = withoutShadows(form);
	const own = prepareMessages(form);
	const { unsent, retry: again } = sentencesFor(form);
	// The sentence may be that of a field, where it is linked to the input.
	if (!fields.some(({ message }) => message === text)) {
		own.alert.append(create('p', text || plain.getAttribute('data-formsrv-unsent') || unsent));
	}
	const list = create('ul');
	const invalid = new Set<Element>();
	for (const { field, message } of fields) {
		const elements = [...plain.elements].filter((element) => element.getAttribute('name') === field);
		const place = placeOf(plain, field, elements);
		const shown = create(place ? 'div' : 'li', message);
		lastId += 1;
		shown.id = `formsrv-${lastId}`;
		if (place) {
			shown.className = 'formsrv-field-error';
			speakIn(shown, form);
			place(shown);
			own.undo.push(() => shown.remove());
		} else list.append(shown);
		own.undo.push(markInvalid(elements, shown));
		for (const element of elements) invalid.add(element);
	}
	if (list.firstChild) own.alert.append(list);
	if (retry) {
		const button = create('button', plain.getAttribute('data-formsrv-retry') || again);
		button.type = 'button';
		button.onclick = retry;
		own.alert.append(button);
	}
	const visible = [...plain.elements].filter((element) => invalid.has(element) && isVisible(element));
	if (visible[0]) (visible[0] as HTMLElement).focus();
	else if (document.activeElement === document.body) own.alert.focus();
}

function isVisible(element: Element): boolean {
	return (element as HTMLElement).offsetParent !== null;
}

/** In the element that the page has for it, or behind the last input of the field and the label around or right behind that. */
function placeOf(plain: HTMLFormElement, field: string, elements: Element[]): ((shown: Element) => void) | undefined {
	const own = [...plain.querySelectorAll('[data-formsrv-error]')].find(
		(element) => element.getAttribute('data-formsrv-error') === field,
	);
	if (own) return (shown) => own.append(shown);
	const last = elements.filter(isVisible).at(-1);
	if (!last) return undefined;
	// As a box to tick has it; styles such as `:checked + label` need them side by side.
	const next = last.nextElementSibling as HTMLLabelElement | null;
	const before = last.closest('label') ?? (next?.control === last ? next : last);
	return (shown) => before.after(shown);
}

/** Links the inputs of a field to its message. Returns a function that undoes it, as a change of any of them does. */
function markInvalid(elements: Element[], { id }: Element): () => void {
	const undo = () => {
		for (const element of elements) {
			element.removeAttribute('aria-invalid');
			element.removeEventListener('input', undo);
			const others = idsOf(element).filter((other) => other !== id);
			if (others.length > 0) element.setAttribute('aria-describedby', others.join(' '));
			else element.removeAttribute('aria-describedby');
		}
	};
	for (const element of elements) {
		element.setAttribute('aria-describedby', [...idsOf(element), id].join(' '));
		element.setAttribute('aria-invalid', 'true');
		element.addEventListener('input', undo);
	}
	return undo;
}

function idsOf(element: Element): string[] {
	return element.getAttribute('aria-describedby')?.match(/\S+/g) ?? [];
}
