/** Pure: the length of a text in characters, as JSON Schema counts them: an emoji is one, not the two halves of UTF-16. For browsers too. */

export const characterCount = (text: string): number => Array.from(text).length;
