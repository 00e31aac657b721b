import { globSync, readFileSync } from 'node:fs'
import { type Exception, type Glossary, glossaryFile } from './glossary.ts'

/** A coined word in a file. */
export interface CoinedWord {
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  readonly word: string
  readonly instead: string
}

const folders = 'benchmarks,docs,examples,packages,specs,tests,tools'
const patterns = ['*.md', '.changeset/*.md', `{${folders}}/**/*.{ts,tsx,mjs,md,yaml}`]
const skippedFolders: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  'generated',
  '.results',
  '.turbo',
])
// Pages of the site that are copied from elsewhere.
const skippedFiles = /^docs\/(?:api|packages|specifications)\//

/**
 * Finds the coined words in one text, in identifiers as well as in sentences.
 *
 * @param coined - what to write instead, by word
 */
export function coinedWordsIn(
  file: string,
  text: string,
  coined: Readonly<Record<string, string>>,
): readonly CoinedWord[] {
  const words = Object.keys(coined).toSorted((a, b) => b.length - a.length)
  if (words.length === 0) return []
  // The words of an identifier stand apart, and so do those of a sentence that is broken into lines.
  const separated = text.replace(/([a-z\d])(?=[A-Z])|_/g, '$1 ')
  const pattern = words.map((word) => word.replace(/ /g, '[ -]')).join('|')
  const matcher = new RegExp(`\\b(?:${pattern})\\b`, 'gi')
  return separated.split('\n').flatMap((content, at) =>
    [...content.matchAll(matcher)].map(([found]) => {
      const word = found.toLowerCase().replace('-', ' ')
      return { file, line: at + 1, word, instead: coined[word] ?? '' }
    }),
  )
}

/**
 * Finds the coined words of the repository that no exception covers.
 *
 * @param root - folder of the repository
 */
export function findCoinedWords(root: string, { coined, exceptions }: Glossary): readonly CoinedWord[] {
  return filesOf(root).flatMap((file) =>
    coinedWordsIn(file, readFileSync(`${root}/${file}`, 'utf8'), coined).filter(
      (found) => !exceptions.some((exception) => covers(exception, found)),
    ),
  )
}

/** Exceptions without a word to cover. */
export function unusedExceptions(root: string, { coined, exceptions }: Glossary): readonly Exception[] {
  const found = findCoinedWords(root, { terms: {}, coined, exceptions: [] })
  return exceptions.filter((exception) => !found.some((a) => covers(exception, a)))
}

function covers({ file, word }: Exception, found: CoinedWord): boolean {
  const isInside = file.endsWith('/**') && found.file.startsWith(file.slice(0, -2))
  return word === found.word && (isInside || file === found.file)
}

function filesOf(root: string): readonly string[] {
  return globSync(patterns, { cwd: root, exclude: (path) => skippedFolders.has(lastOf(path)) })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file !== glossaryFile && !skippedFiles.test(file) && !file.endsWith('CHANGELOG.md'))
    .toSorted()
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
