/** The icons, drawn as strokes on a 24-unit grid; decoration only, never the sole label. */

const PATHS = {
	archive: 'M4 5h16v4H4zM5.5 9v10h13V9M10 13h4',
	back: 'M15 5l-7 7 7 7',
	ban: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M5.7 5.7l12.6 12.6',
	calendar: 'M5 5h14a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1M4 10h16M8 3v4M16 3v4',
	check: 'M5 12.5l4.5 4.5L19 7.5',
	chevron: 'M9 5l7 7-7 7',
	columns: 'M4 5h16v14H4zM9.5 5v14M14.5 5v14',
	copy: 'M9 9h10a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1V10a1 1 0 0 1 1-1M5 15H4a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1h10a1 1 0 0 1 1 1v1',
	down: 'M6 9l6 6 6-6',
	download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
	file: 'M7 3h7l5 5v12a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1M14 3v5h5',
	forms: 'M6 3h12a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1M9 8h6M9 12h6M9 16h3',
	history: 'M4 12a8 8 0 1 0 2.500-5.800M4 4v4h4M12 8v4.500l3 2',
	inbox: 'M4 13l2.5-8h11L20 13v6H4zM4 13h4.5a3.5 3.5 0 0 0 7 0H20',
	key: 'M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8M11 12.5L19.5 4M16 7.5l3 3M13.5 10l2 2',
	keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M17 14h.01M7 14h.01M10.5 14h3',
	link: 'M10 14a4 4 0 0 0 5.700 0l3-3a4 4 0 0 0-5.700-5.700l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3a4 4 0 0 0 5.700 5.700l1-1',
	mail: 'M4 6h16v12H4zM4 7l8 6 8-6',
	menu: 'M4 7h16M4 12h16M4 17h16',
	moon: 'M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5',
	note: 'M5 4h14v10.5L13.5 20H5zM13.5 20v-5.5H19M8.5 8.500h7M8.5 12h4',
	paperclip:
		'M19 11.5l-7.300 7.300a4.600 4.600 0 0 1-6.500-6.500l8-8a3 3 0 0 1 4.300 4.300l-7.800 7.800a1.500 1.500 0 0 1-2.100-2.100l6.900-6.900',
	plug: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
	plus: 'M12 5v14M5 12h14',
	read: 'M4 10l8-6 8 6v10H4zM4 10.5l8 5.5 8-5.5',
	refresh: 'M20 12a8 8 0 1 1-2.5-5.8M20 3v4.5h-4.5',
	search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l4.5 4.5',
	send: 'M20.5 3.5L3 10.5l7 3 3 7zM10 13.5l4-4',
	settings: 'M5 7h7M18 7h1M15 4.5v5M5 17h1M12 17h7M9 14.5v5',
	signOut: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
	star: 'M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9L3.5 9.700l5.9-.8z',
	sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2.500v2M12 19.500v2M2.5 12h2M19.5 12h2M5.3 5.300l1.4 1.400M17.3 17.300l1.4 1.400M18.7 5.300l-1.4 1.400M6.7 17.300l-1.4 1.4',
	system: 'M3 5h18v11H3zM9 20h6M12 16v4',
	tag: 'M4 4h7l9 9-7 7-9-9zM8.500 8.500h.01',
	trash: 'M4 7h16M9.5 7V4h5v3M6 7l1 13h10l1-13M10 11v5.500M14 11v5.5',
	up: 'M6 15l6-6 6 6',
	warning: 'M12 4l9 16H3zM12 10v4.500M12 17.200v.1',
	x: 'M6 6l12 12M18 6L6 18',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, filled = false }: { name: IconName; filled?: boolean }) {
	return (
		<svg
			class={filled ? 'icon filled' : 'icon'}
			viewBox="0 0 24 24"
			width="16"
			height="16"
			aria-hidden="true"
			focusable="false"
		>
			<path d={PATHS[name]} />
		</svg>
	);
}
