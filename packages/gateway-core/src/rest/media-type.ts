import type { MediaRules } from './rest-call.ts'

/**
 * Selects media types by the `Accept` header of a request.
 *
 * @param header - the header value, unchanged; without it, all types are acceptable
 * @param offered - media types without parameters, the server's preferred type first
 * @returns the types that the client accepts, best first
 * @see RFC 9110, section 12.5.1
 */
export function acceptable(header: string | undefined, offered: readonly string[]): readonly string[] {
  const ranges = (header ?? '').split(',').flatMap(readRange)
  if (ranges.length === 0) return offered
  return offered
    .map((type) => ({ type, quality: qualityOf(type, ranges) }))
    .filter(({ quality }) => quality > 0)
    .toSorted((left, right) => right.quality - left.quality)
    .map(({ type }) => type)
}

interface Range {
  /** For example `application/json`, `application/*` or `*\/*`. */
  readonly type: string
  readonly quality: number
}

// Invalid ranges are ignored.
function readRange(text: string): readonly Range[] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  if (!/^[^\s/]+\/[^\s/]+$/.test(type)) return []
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '')
  // `Number` would convert an empty text to zero.
  const quality = weight === undefined ? 1 : Number(weight || NaN)
  return quality >= 0 && quality <= 1 ? [{ type, quality }] : []
}

/** The most specific range decides, not the one with the highest weight. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const closest = [type, `${type.split('/', 1)[0]}/*`, '*/*']
    .map((wanted) => ranges.find((range) => range.type === wanted))
    .find((range) => range !== undefined)
  return closest?.quality ?? 0
}

/** The media type of a `Content-Type` header without its parameters, in lower case. */
export function mediaType(header: string): string {
  return (header.split(';', 1)[0] ?? '').trim().toLowerCase()
}

/** Describes why a media type is not one of an API; undefined when it is. */
export function mismatchOf(header: string | undefined, { api, types }: MediaRules): string | undefined {
  if (types.length === 0 || types.includes(mediaType(header ?? ''))) return undefined
  return `The response of the upstream does not follow the ${api}.`
}
