/** Icons, drawn in the colour of the text. They repeat words that stand beside them, so readers of the screen skip them. */

const PATHS = {
  good: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM5 8.2l2.1 2.1L11 6.2',
  busy: 'M13.5 8a5.5 5.5 0 1 1-2.2-4.4M13.6 1.6v3h-3',
  waiting: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM6.4 5.6v4.8M9.6 5.6v4.8',
  bad: 'M8 1.8 15 14H1L8 1.8ZM8 6v4M8 12v.2',
  unknown: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM6.2 6.3a1.8 1.8 0 1 1 2.5 1.8c-.5.2-.7.5-.7 1.1M8 11.3v.2',
  info: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 7.2v4M8 4.8v.2',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  check: 'M2.5 8.5 6 12l7.5-8',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  menu: 'M2 4h12M2 8h12M2 12h12',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13.5 9.8A6 6 0 0 1 6.2 2.5a6 6 0 1 0 7.3 7.3Z',
  auto: 'M8 1.5a6.5 6.5 0 1 0 0 13zM8 1.5a6.5 6.5 0 0 1 0 13',
  help: 'M6 6a2 2 0 1 1 2.8 1.9c-.6.3-.8.7-.8 1.3M8 11.6v.2M2 2.5h12v11H2z',
  arrow: 'M2.5 8h11M9.5 4l4 4-4 4',
  link: 'M6 3H3v10h10v-3M9 3h4v4M13 3 7 9',
  search: 'M7 2.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6ZM10.6 10.6 14 14',
  shield: 'M8 1.5 13.5 3.5v4c0 3.3-2.3 5.8-5.5 7-3.2-1.2-5.5-3.7-5.5-7v-4z',
  box: 'M8 1.5 14 4.7v6.6L8 14.5 2 11.3V4.7zM2 4.7 8 8l6-3.3M8 8v6.5',
  trash: 'M2.5 4h11M6 4V2.5h4V4M4 4l.7 9.5h6.6L12 4M6.7 6.7v4.2M9.3 6.7v4.2',
  plus: 'M8 3v10M3 8h10',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon of the height of the text. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
