/** Pure: what a form says of the pages that its visitors see, and the contrast of its colour. For browsers too. */

export interface ThanksTexts {
	title: string | null;
	text: string | null;
	linkUrl: string | null;
	linkLabel: string | null;
}

export interface PageSettings {
	/** In place of ours on the thank-you page. */
	thanks: ThanksTexts | null;
	/** A colour as `#1d6b57`, for light pages; on dark ones it is made lighter. */
	accent: string | null;
}

/** As a client sends them: what is left out or `null` takes its default. */
export interface PageSettingsInput {
	thanks?: { [Part in keyof ThanksTexts]?: string | null } | null;
	accent?: string | null;
}

export const THANKS_MAX = { title: 200, text: 1000, linkUrl: 2048, linkLabel: 200 } as const;
export const NO_THANKS: ThanksTexts = { title: null, text: null, linkUrl: null, linkLabel: null };

/** The backgrounds of the pages, by day and by night, as `page.css` has them. */
const LIGHT = '#f5f3ee';
const DARK = '#16181c';
/** That of WCAG 2 for text. */
export const CONTRAST_MIN = 4.5;

/** The contrast with the background of light pages, from 1 to 21. */
export const contrastOnLight = (colour: string): number => contrast(colour, LIGHT);

/** The colour, or as much lighter as dark pages need. */
export function onDark(colour: string): string {
	for (let white = 0; white < 1; white += 0.02) {
		const lighter = mix(colour, white);
		if (contrast(lighter, DARK) >= CONTRAST_MIN) return lighter;
	}
	return '#ffffff';
}

function contrast(one: string, other: string): number {
	const [less = 0, more = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
	return (more + 0.05) / (less + 0.05);
}

function luminance(colour: string): number {
	const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
		const share = channel / 255;
		return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mix(colour: string, white: number): string {
	const mixed = channelsOf(colour).map((channel) => Math.round(channel + (255 - channel) * white));
	return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function channelsOf(colour: string): number[] {
	return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
