import { describe, expect, it } from 'vitest'
import { pageSummaries } from '../.vitepress/pages.ts'
import { sections } from '../.vitepress/sidebar.ts'
import { sourceOf } from '../.vitepress/summary.ts'
import { files, read } from './built-site.ts'

const pages = files.filter((file) => file.endsWith('.html') && file !== '404.html')
const markdown = files.filter((file) => file.endsWith('.md'))
const known = new Set(files)

const fence = /^( *)(`{3,}|~{3,})[^]*?^\1\2.*$/gm

function fencesOf(text: string): readonly string[] {
  return text.match(fence) ?? []
}

/** The targets of all links outside fenced code. */
function linksOf(text: string): readonly string[] {
  const prose = text.replaceAll(fence, '')
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, href = '']) => href)
}

/** The value of a tag of a page, without escapes. */
function tagOf(page: string, pattern: RegExp): string {
  const value = pattern.exec(read(page))?.[1] ?? ''
  const escaped = { '&quot;': '"', '&amp;': '&', '&#39;': "'", '&lt;': '<', '&gt;': '>' }
  return Object.entries(escaped).reduce((text, [from, to]) => text.replaceAll(from, to), value)
}

describe('the title and the description of a page', () => {
  const titles = pages.map((page) => tagOf(page, /<title>([^<]*)<\/title>/))
  const descriptions = pages.map((page) => tagOf(page, /<meta name="description" content="([^"]*)">/))

  it('are on every page', () => {
    expect(pages.filter((_, index) => !/^.{5,} \| Fairlead$/.test(titles[index] ?? ''))).toEqual([])
    expect(pages.filter((_, index) => descriptions[index] === '')).toEqual([])
    expect(pages.length).toBeGreaterThan(80)
  })

  it('are unique', () => {
    const repeated = (values: readonly string[]) =>
      values.filter((value, index) => values.indexOf(value) !== index)
    expect(repeated(titles)).toEqual([])
    expect(repeated(descriptions)).toEqual([])
  })

  it('have a description of 50 to 160 characters', () => {
    const lengths = pages.map((page, index) => [page, descriptions[index]?.length ?? 0] as const)
    expect(lengths.filter(([, length]) => length < 50 || length > 160)).toEqual([])
  })

  it('belong to a page of the site', () => {
    const paths = Object.keys(pageSummaries)
    expect(paths.filter((path) => !known.has(path.replace(/\.md$/, '.html')))).toEqual([])
  })

  it.each(['Ethereum', 'TON', 'toncenter', 'Solana', 'Yellowstone Geyser', 'Sui'])('name %s', (name) => {
    expect(titles.some((title) => title.includes(name))).toBe(true)
    expect(descriptions.some((description) => description.includes(name))).toBe(true)
  })
})

describe('the Markdown of the pages', () => {
  it('is next to the HTML of every page', () => {
    expect(new Set(markdown)).toEqual(new Set(pages.map((page) => page.replace(/\.html$/, '.md'))))
  })

  it('has no front matter', () => {
    expect(markdown.filter((file) => read(file).startsWith('---'))).toEqual([])
  })

  it('has links that lead to other Markdown, or elsewhere', () => {
    const links = markdown.flatMap((file) => linksOf(read(file)).map((href) => ({ file, href })))
    const broken = links.filter(({ href }) => {
      if (/^(?:https?:\/\/|mailto:|#)/.test(href)) return false
      const target = href.replace(/#.*$/, '').slice(1)
      return !href.startsWith('/') || !target.endsWith('.md') || !known.has(target)
    })
    expect(broken).toEqual([])
    expect(links.length).toBeGreaterThan(500)
  })

  it('keeps fenced code unchanged', () => {
    const changed = markdown.filter(
      (file) => fencesOf(read(file)).join('\n') !== fencesOf(sourceOf(file)).join('\n'),
    )
    expect(changed).toEqual([])
    expect(markdown.flatMap((file) => fencesOf(read(file))).length).toBeGreaterThan(100)
  })
})

describe('llms.txt', () => {
  const text = read('llms.txt')
  const entries = [...text.matchAll(/^- \[[^\]]+\]\(\/([^)]+)\): .{50,160}$/gm)].map(([, page]) => page)

  it('has a title, a summary and sections', () => {
    expect(text).toMatch(/^# Fairlead\n\n> .{50,}\n\n## /)
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual(sections().map((section) => section.text))
  })

  it('lists every page exactly once', () => {
    expect(new Set(entries).size).toBe(entries.length)
    expect(new Set(entries)).toEqual(new Set(markdown))
    expect(text.match(/^- /gm)?.length).toBe(entries.length)
  })
})
