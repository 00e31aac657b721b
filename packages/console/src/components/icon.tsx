// Drawn on a grid of 24 with a line width of 1.75.
const paths = {
  overview: 'M4 20V10M10 20V4M16 20v-7M20.5 20H3.5',
  project: 'M3.5 7.5a2 2 0 0 1 2-2h4l2 2.5h7a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z',
  node: 'M12 3l7.8 4.5v9L12 21l-7.8-4.5v-9zM12 12l7.8-4.5M12 12L4.2 7.5M12 12v9',
  playground: 'M6 4.5v15l13-7.5z',
  usage: 'M3.5 17l5-6 4 3.5 7.5-9M20 10.5V5.5h-5',
  member:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14.2a6.5 6.5 0 0 1 3.5 5.8',
  key: 'M8 19.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM11.2 11.8L20 3.5M16.5 7l3 3M14 9.5l2 2',
  audit: 'M6 3.5h9l4 4v13H6zM9.5 11h6M9.5 15h6M14.5 3.5V8H19',
  book: 'M12 6.5C10 5 7 4.5 3.5 4.5v14c3.5 0 6.5.5 8.5 2 2-1.5 5-2 8.5-2v-14C17 4.5 14 5 12 6.5zM12 6.5v14',
  webhook: 'M8.5 12a3.5 3.5 0 1 1 3.5-3.5M12 8.5l3.5 6.5M15.5 20a3.5 3.5 0 1 0 0-7M12 16.5H6.5',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5a7.5 7.5 0 0 1 15 0',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h10.5v11H9zM15 9V4H4.5v11H9',
  check: 'M5 12.5l4.5 4.5L19.5 7',
  plus: 'M12 5v14M5 12h14',
  back: 'M14.5 6l-6 6 6 6',
  sun: 'M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  screen: 'M3.5 5h17v11h-17zM9 20h6M12 16v4',
  download: 'M12 4v11M7 10.5l5 5 5-5M4.5 20h15',
} as const

/** Names of the available icons. */
export type IconName = keyof typeof paths

/** A small icon next to a label; hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.75"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}
