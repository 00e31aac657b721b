const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/**
 * Formats the distance of a time from now, in the past or the future.
 *
 * @param at - the time, in milliseconds of Unix time
 * @param now - the time to compare with, in milliseconds of Unix time
 */
export function distance(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1_000)
  const step = steps.find(([, length]) => Math.abs(seconds) >= length)
  if (!step) return seconds > 0 ? 'in a moment' : 'just now'
  return relative.format(Math.trunc(seconds / step[1]), step[0])
}

/** A time as a distance from now, with the exact time as its title. */
export function Time({ at, none = 'never' }: { readonly at: string | null; readonly none?: string }) {
  if (at === null) return <span class="muted">{none}</span>
  const date = new Date(at)
  return (
    <time class="distance" dateTime={at} title={full.format(date)}>
      {distance(date.getTime(), Date.now())}
    </time>
  )
}

/** A time to the second, in the time zone of the browser. */
export function ExactTime({ at }: { readonly at: string }) {
  return <time dateTime={at}>{full.format(new Date(at))}</time>
}
