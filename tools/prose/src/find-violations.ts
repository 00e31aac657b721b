import retextRepeatedWords from 'retext-repeated-words'
import { VFile } from 'vfile'
import { type Exception, matcherOf, type Rules } from './rules.ts'
import { type Block, blocksOf, type Point, type Sentence } from './sentences.ts'

/** A sentence that breaks a rule. */
export interface Violation extends Point {
  readonly file: string
  readonly rule: string
  readonly message: string
  /** The sentence on one line, with "…" for each code span and URL. */
  readonly sentence: string
}

/** A Markdown file. */
export interface Page {
  /** Path in the repository. */
  readonly path: string
  readonly text: string
}

const reportRepeatedWords = retextRepeatedWords()
const maxWordsOfListItem = 4

/** Finds the violations of pages that no exception covers. */
export function findViolations(pages: readonly Page[], rules: Rules): readonly Violation[] {
  return pages
    .flatMap((page) => violationsOf(page, rules))
    .filter((violation) => !rules.exceptions.some((exception) => covers(exception, violation)))
}

/** Exceptions without a violation to cover. */
export function unusedExceptions(pages: readonly Page[], rules: Rules): readonly Exception[] {
  const found = findViolations(pages, { ...rules, exceptions: [] })
  return rules.exceptions.filter((exception) => !found.some((violation) => covers(exception, violation)))
}

/** Formats a violation as one line. */
export function lineOf({ file, line, column, rule, message }: Violation): string {
  return `${file}:${line}:${column} ${rule}: ${message}`
}

function covers({ file, rule, text }: Exception, violation: Violation): boolean {
  return file === violation.file && rule === violation.rule && violation.sentence.includes(text)
}

function violationsOf({ path, text }: Page, rules: Rules): readonly Violation[] {
  const file = new VFile({ path, value: text })
  const phrases = rules.phrases.map((phrase) => ({ ...phrase, matcher: matcherOf(rules, phrase) }))
  const violations: Violation[] = []
  for (const block of blocksOf(file)) {
    reportRepeatedWords(block.tree, file)
    for (const sentence of block.sentences) {
      const add = (rule: string, index: number, message: string): void => {
        violations.push({ file: path, ...sentence.pointAt(index), rule, message, sentence: sentence.text })
      }
      if (sentence.words > rules.maxWords && !isList(block, sentence)) {
        add('sentence-length', 0, `${sentence.words} words, at most ${rules.maxWords}`)
      }
      for (const { rule, instead, matcher, isOfSentences } of phrases) {
        if (isOfSentences && (block.kind !== 'paragraph' || !sentence.isComplete)) continue
        for (const { 0: found, index } of sentence.text.matchAll(matcher)) {
          add(rule, index, `"${found}": write ${instead}`)
        }
      }
    }
  }
  return [...violations, ...messagesOf(file)]
}

/** A table cell of short items. */
function isList({ kind }: Block, { text, words, isComplete }: Sentence): boolean {
  const items = text.split(/[,;]/).length
  return kind === 'tableCell' && !isComplete && words / items <= maxWordsOfListItem
}

function messagesOf({ path, messages }: VFile): readonly Violation[] {
  return messages.map(({ source, line, column, reason }) => ({
    file: path,
    line: line ?? 1,
    column: column ?? 1,
    rule: (source ?? '').replace('retext-', ''),
    message: reason,
    sentence: reason,
  }))
}
