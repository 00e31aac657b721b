import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { copiedPages, repository } from './copied-pages.ts'
import { type PageSummary, pageSummaries } from './pages.ts'

const maxLength = 160

/**
 * Returns the title and the description of a page. Packages have the description of their `package.json`, decisions
 * their first sentences, and generated pages front matter.
 *
 * @param page - path on the site, such as `guides/evm.md`
 * @throws Error when a page without a rule has no entry in `pages.ts`
 */
export function summaryOf(page: string): PageSummary {
  const listed = pageSummaries[page]
  if (listed !== undefined) return listed
  const text = sourceOf(page)
  if (page.startsWith('packages/')) return { title: titleOf(page), description: packageDescription(page) }
  if (page.startsWith('decisions/'))
    return { title: titleOf(page), description: shorten(`Design decision: ${firstWords(text)}`) }
  const [, title, description] = /^---\n[^]*?title: (.+)\n[^]*?description: (.+)\n[^]*?---\n/.exec(text) ?? []
  if (title === undefined || description === undefined) {
    throw new Error(`${page} needs a title and a description in docs/.vitepress/pages.ts`)
  }
  return { title: JSON.parse(title) as string, description: JSON.parse(description) as string }
}

/** Returns the first heading of a page as plain text. */
export function titleOf(page: string): string {
  const title = /^# (.+)$/m.exec(sourceOf(page))?.[1]
  if (title === undefined) throw new Error(`${page} has no title`)
  return title.replaceAll('`', '')
}

/** Returns the Markdown of a page. */
export function sourceOf(page: string): string {
  return readFileSync(resolve(import.meta.dirname, '..', page), 'utf8')
}

/** Formats a title and a description as front matter, for generated pages. */
export function frontMatter({ title, description }: PageSummary, rest = ''): string {
  const lines = [`title: ${JSON.stringify(title)}`, `description: ${JSON.stringify(shorten(description))}`]
  return `---\n${lines.join('\n')}\n${rest}---\n\n`
}

function packageDescription(page: string): string {
  const manifest = (copiedPages()[page] ?? '').replace('README.md', 'package.json')
  const { description } = JSON.parse(readFileSync(resolve(repository, manifest), 'utf8')) as {
    description: string
  }
  return description
}

function firstWords(text: string): string {
  const [, first = ''] = /^# .+\n+((?:.+\n)+)/m.exec(text) ?? []
  // VitePress writes a description into an attribute without escaping quotes.
  return first
    .replaceAll(/\[([^\]]*)\]\([^)]*\)|`/g, '$1')
    .replaceAll('"', "'")
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Cuts a text at the end of a sentence, or else of a word. */
function shorten(text: string): string {
  if (text.length <= maxLength) return text
  const sentences = text.slice(0, maxLength).replace(/(?<=[.:])\s[^.:]*$/, '')
  if (sentences.length >= 80 && /[.]$/.test(sentences)) return sentences
  return `${text.slice(0, maxLength - 1).replace(/[\s,;:]+\S*$/, '')}…`
}
