import { existsSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { lexer, type Token, walkTokens } from 'marked'
import { expect, it } from 'vitest'
import { slugsOf } from '@fairlead/docs/.vitepress/slug.ts'
import { type Page, readPages, repository } from './page.ts'

const pages = readPages()
const anchors = new Map(pages.map((page) => [page.path, new Set(slugsOf(headingsOf(page)))]))

function headingsOf({ text }: Page): readonly string[] {
  const found: string[] = []
  void walkTokens(lexer(text), (token) => {
    if (token.type === 'heading') found.push(plainText(token.tokens ?? []))
  })
  return found
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      'tokens' in token && token.tokens ? plainText(token.tokens) : 'text' in token ? token.text : '',
    )
    .join('')
}

function linksOf({ text }: Page): readonly string[] {
  const found: string[] = []
  void walkTokens(lexer(text), (token) => {
    if (token.type === 'link' || token.type === 'image') found.push(String(token['href']))
  })
  return found
}

/** Returns the problem of a link, if any. */
function problemOf({ path }: Page, href: string): string | undefined {
  if (/^[a-z]+:/.test(href)) {
    const isGood = URL.canParse(href) && /^(?:https?|mailto):$/.test(new URL(href).protocol)
    return isGood ? undefined : `${path}: ${href} is no address`
  }
  if (href.startsWith('/')) return `${path}: ${href} leads nowhere on a code host: link relatively`
  const [file = '', anchor] = href.split('#')
  const target = file === '' ? path : posix.normalize(posix.join(dirname(path), decodeURI(file)))
  const place = join(repository, target)
  if (!existsSync(place)) return `${path}: ${href} is not there`
  if (anchor === undefined) return undefined
  if (statSync(place).isDirectory() || !target.endsWith('.md')) return `${path}: ${href} has no headings`
  return anchors.get(target)?.has(anchor) === true ? undefined : `${path}: ${href} names no heading`
}

it('every relative link leads to a file, and every anchor to a heading', () => {
  const links = pages.flatMap((page) => linksOf(page).map((href) => ({ page, href })))
  expect(links.length).toBeGreaterThan(250)
  expect(links.flatMap(({ page, href }) => problemOf(page, href) ?? [])).toEqual([])
})
