import type { MarkdownRenderer } from 'vitepress'
import { posix } from 'node:path'
import { copiedPages } from '../copied-pages.ts'

const codeHost = 'https://github.com/fairlead-dev/fairlead/blob/main'
const sources = copiedPages()
const places = new Map(Object.entries(sources).map(([place, source]) => [source, place]))

/**
 * Lets links of pages be relative to their files, as they are on a code host: those to files that are no page of the site lead
 * to the code host.
 */
export function relativeLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('relative-links', ({ tokens, env }) => {
    const { relativePath } = env as { relativePath: string }
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null
      if (href !== null) token.attrSet('href', siteLink(relativePath, href))
    }
  })
}

/**
 * Where a link of a page leads to on the site.
 *
 * @param page - place of the page on the site, such as `guides/evm.md`
 * @param href - as it stands in the file that the page is
 */
export function siteLink(page: string, href: string): string {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href
  const [file = '', anchor] = href.split('#')
  const source = sources[page] ?? `docs/${page}`
  const target = posix.normalize(posix.join(posix.dirname(source), decodeURI(file))).replace(/\/$/, '')
  const place = places.get(target) ?? placeIn(target)
  const behind = anchor === undefined ? '' : `#${anchor}`
  return place === undefined ? `${codeHost}/${target}${behind}` : `/${place}${behind}`
}

function placeIn(target: string): string | undefined {
  return target.startsWith('docs/') && target.endsWith('.md') ? target.slice('docs/'.length) : undefined
}
