/** How times, durations and their units are written. */

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The language of dates in full. */
export const locale = 'en-GB';

export const now = 'now';
export const yesterday = 'yesterday';
export const tomorrow = 'tomorrow';
export const ago = (count: number, unit: 'd' | 'h' | 'm') => `${count}${unit} ago`;
export const ahead = (count: number, unit: 'd' | 'h' | 'm') => `in ${count}${unit}`;

/** "3 Mar", or "3 Mar 2025". */
export const day = (date: Date, hasYear: boolean) =>
	`${date.getDate()} ${months[date.getMonth()]}${hasYear ? ` ${date.getFullYear()}` : ''}`;

export const daysAndHours = (days: number, hours: number) => `${days} d ${hours} h`;
export const hoursAndMinutes = (hours: number, minutes: number) => `${hours} h ${minutes} min`;
export const minutes = (count: number) => `${count} min`;
export const seconds = (count: number) => `${count} s`;
