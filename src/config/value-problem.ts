/** Why a text is no value for a setting: the rest of a sentence that starts with the setting's name. */
export class ValueProblem extends Error {}
