/** The members that every form setting has, of whichever kind: its words, shape, check and text. Pure, for browsers too. */

import type { TSchema, Type } from '@sinclair/typebox';
import type { compilePattern } from '../../field-rules/pattern.ts';
import type { Captcha } from '../../form-values/captchas.ts';
import type { nullable, stringEnum } from '../../http/schema-types.ts';

/** Limits of this server. */
export interface Allowed {
	captchas: ReadonlySet<Captcha | null>;
	maxFileBytes: number;
}

export interface Check {
	name: string;
	allowed: Allowed;
	/** As an argument: browsers do not load it. */
	compilePattern: typeof compilePattern;
	/** @param field The member at fault, such as `allowedDomains.0`; that of the setting by default. */
	report: (code: string, message: string, field?: string) => undefined;
}

/** Reports a member of a setting: the rest of a sentence that begins with its name. */
export const faultOf =
	({ name, report }: Pick<Check, 'name' | 'report'>, code: string) =>
	(member: string, rest: string) =>
		report(code, `${name}.${member} ${rest}.`, `${name}.${member}`);

export type Fault = ReturnType<typeof faultOf>;

/** A maker of schemas, as an argument: neither browsers nor the command line load it. */
export interface Types {
	Type: typeof Type;
	stringEnum: typeof stringEnum;
	nullable: typeof nullable;
}

/** The groups of the settings page, in its order. */
export const SETTING_GROUPS = {
	form: 'Form',
	visitors: 'Visitors',
	notifications: 'Notifications',
	files: 'Files',
	spam: 'Spam',
	rules: 'Rules',
	privacy: 'Privacy',
	advanced: 'Advanced',
} as const;
export type SettingGroup = keyof typeof SETTING_GROUPS;

/** How the API, the command line and the dashboard speak of a setting. */
export interface Words<Value> {
	/** For programmers, in the API document. */
	description: string;
	/** In the examples of the API document. */
	example: Value;
	/** In the dashboard: where the setting stands, and its words. */
	group: SettingGroup;
	label: string;
	hint?: string;
	/** The option of `forms create` and `forms update`; `help` is for both. */
	option: { flags: string; help?: string; create?: string; update?: string };
}

/** @template Sent What a client may send besides `null`. */
export interface Setting<Value, Sent = NonNullable<Value>> extends Words<Value> {
	kind: string;
	/** No form can be made without it: it has no default. */
	isRequired?: true;
	/** The value that `null` stands for, and that is shown to those who may not read the form. */
	blank: Value;
	schema(types: Types): TSchema;
	/** Schema of a client's input, if that differs. */
	inputSchema?(types: Types): TSchema;
	/** The value as it is stored, or reports what is wrong. */
	check(sent: Sent, check: Check): Value | undefined;
	/** A value on the command line. */
	format(value: NonNullable<Value>): string;
	/** A text of the command line as the API takes it; what is wrong with it is for the check. */
	parse(text: string): Sent;
	/** True if that text is JSON, which may also come from a file. */
	isJson?: true;
	/** True if it may say something about visitors: only callers with the permission to read see it, and the audit log has it as changed. */
	isTelling?: true;
	/** The only texts on the command line, if they are few. */
	texts?: readonly string[];
}

export type OfKind<Kind extends string, Value, Sent = NonNullable<Value>> = Setting<Value, Sent> & { kind: Kind };
