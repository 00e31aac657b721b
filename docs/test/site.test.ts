import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { siteLink } from '../.vitepress/markdown/links.ts'
import { sections } from '../.vitepress/sidebar.ts'
import { files, read, site } from './built-site.ts'

const pages = files.filter((file) => file.endsWith('.html'))

describe('the site', () => {
  it('fetches nothing from elsewhere', () => {
    const fetched =
      /<(?:script|img|iframe|source|audio|video|embed)\b[^>]*\bsrc="(?:https?:)?\/\/[^"]*"|<link\b[^>]*\bhref="(?:https?:)?\/\/[^"]*"/g
    const ofPages = pages.flatMap((file) =>
      [...read(file).matchAll(fetched)].map(([text]) => `${file}: ${text}`),
    )
    const ofStyles = files
      .filter((file) => file.endsWith('.css'))
      .flatMap((file) =>
        [...read(file).matchAll(/(?:@import|url\()\s*['"]?(?:https?:)?\/\/[^)'"]*/g)].map(
          ([text]) => `${file}: ${text}`,
        ),
      )
    expect([...ofPages, ...ofStyles]).toEqual([])
    expect(pages.length).toBeGreaterThan(80)
  })

  it('refers only to files of the site that exist', () => {
    const referred = pages.flatMap((file) =>
      [...read(file).matchAll(/\b(?:src|href)="(\/[^"#?]*)/g)].map(([, path = '']) => path),
    )
    const missing = [...new Set(referred)].filter(
      (path) => !existsSync(join(site, path.endsWith('/') ? `${path}index.html` : path)),
    )
    expect(missing).toEqual([])
  })

  it('has every page in its sidebar once', () => {
    const places = sections().flatMap((section) =>
      section.pages.map((page) => page.replace(/\.md$/, '.html')),
    )
    expect(new Set(places).size).toBe(places.length)
    expect(new Set(places)).toEqual(new Set(pages.filter((page) => page !== '404.html')))
  })

  it('shows no comments of its sources', () => {
    const commented = pages.filter((page) => /&lt;!--(?![^<]*<\/code>)/.test(read(page)))
    expect(commented).toEqual([])
  })

  it('draws its diagrams', () => {
    const page = read('architecture.html')
    expect(page.match(/<img class="diagram light"/g)?.length).toBeGreaterThan(5)
    expect(page).not.toContain('flowchart LR')
    // Drawings stand in their addresses, and so would what they import.
    expect(page).not.toMatch(/%40import|fonts\.googleapis/)
  })
})

describe('a relative link', () => {
  it.each([
    ['guides/evm.md', '../reference/errors.md#clients', '/reference/errors.md#clients'],
    ['guides/evm.md', '../../packages/evm-rpc/README.md', '/packages/evm-rpc.md'],
    ['packages/grpc-transport.md', '../grpc/README.md', '/packages/grpc.md'],
    [
      'contributing/index.md',
      'docs/decisions/0001-generated-code-is-committed.md',
      '/decisions/0001-generated-code-is-committed.md',
    ],
    ['index.md', '../examples', 'https://github.com/fairlead-dev/fairlead/blob/main/examples'],
    [
      'operations/alerts.md',
      'alert-rules.yaml',
      'https://github.com/fairlead-dev/fairlead/blob/main/docs/operations/alert-rules.yaml',
    ],
    ['start.md', 'http://127.0.0.1:8645/docs/', 'http://127.0.0.1:8645/docs/'],
    ['start.md', '#call-it', '#call-it'],
  ])('of %s to %s leads to %s', (page, href, link) => {
    expect(siteLink(page, href)).toBe(link)
  })
})
