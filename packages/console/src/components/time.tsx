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
 * How long ago a time was, or how far it is, in words.
 *
 * @param at - the time, in milliseconds of Unix time
 * @param now - what it is compared with, the same
 */
export function distance(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1_000)
  const step = steps.find(([, length]) => Math.abs(seconds) >= length)
  if (!step) return seconds > 0 ? 'in a moment' : 'just now'
  return relative.format(Math.trunc(seconds / step[1]), step[0])
}

/** A time as a distance from now; the exact one stands behind it. */
export function Time({ at, none = 'never' }: { readonly at: string | null; readonly none?: string }) {
  if (at === null) return <span class="muted">{none}</span>
  const date = new Date(at)
  return (
    <time class="distance" dateTime={at} title={full.format(date)}>
      {distance(date.getTime(), Date.now())}
    </time>
  )
}

/** A time to the second, in the reader's time zone. */
export function ExactTime({ at }: { readonly at: string }) {
  return <time dateTime={at}>{full.format(new Date(at))}</time>
}
