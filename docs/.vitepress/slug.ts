/**
 * The anchor of a heading, as code hosts make it, so that a link works there and on the site.
 *
 * @param heading - plain text
 */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}

/** The anchors of all headings of a page: one that comes again has a number behind it. */
export function slugsOf(headings: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  return headings.map((heading) => {
    const slug = slugOf(heading)
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
}
