import retextPassive from 'retext-passive'
import { VFile } from 'vfile'
import type { Page } from './find-violations.ts'
import { blocksOf, type Sentence } from './sentences.ts'

/** Figures of the sentences of one area. */
export interface Statistics {
  readonly area: string
  readonly sentences: number
  /** In words. */
  readonly mean: number
  /** In words. */
  readonly p95: number
  /** Share of the sentences in passive voice, 0 to 1. */
  readonly passive: number
}

interface Measured {
  readonly words: number
  readonly isPassive: boolean
}

const areas: readonly (readonly [area: string, paths: RegExp])[] = [
  ['docs', /^docs\//],
  ['decisions', /^docs\/decisions\//],
  ['README', /^[^/]+$|^packages\//],
  ['changesets', /^\.changeset\//],
  ['all', /./],
]
const reportPassive = retextPassive()
// The library has the irregular participles.
const regularPassive =
  /\b(?:am|are|were|being|is|been|was|be) (?:(?:not|also|never|always|only|\w+ly) )?\w+ed\b/i

/** Measures the complete sentences of pages: those that end with a punctuation mark. */
export function statisticsOf(pages: readonly Page[]): readonly Statistics[] {
  const measured = pages.map(({ path, text }) => ({ path, sentences: measure(new VFile({ value: text })) }))
  return areas.map(([area, paths]) => {
    const sentences = measured.filter(({ path }) => paths.test(path)).flatMap((page) => page.sentences)
    const lengths = sentences.map(({ words }) => words).toSorted((a, b) => a - b)
    const count = Math.max(sentences.length, 1)
    return {
      area,
      sentences: sentences.length,
      mean: lengths.reduce((sum, words) => sum + words, 0) / count,
      p95: lengths[Math.ceil(0.95 * lengths.length) - 1] ?? 0,
      passive: sentences.filter((sentence) => sentence.isPassive).length / count,
    }
  })
}

/** Formats statistics as a table. */
export function tableOf(statistics: readonly Statistics[]): string {
  const head = `${'area'.padEnd(12)}${['sentences', 'mean', 'p95', 'passive'].map((title) => title.padStart(10)).join('')}`
  const rows = statistics.map(({ area, sentences, mean, p95, passive }) => {
    const cells = [`${sentences}`, mean.toFixed(1), `${p95}`, `${(100 * passive).toFixed(1)}%`]
    return `${area.padEnd(12)}${cells.map((cell) => cell.padStart(10)).join('')}`
  })
  return `${[head, ...rows].join('\n')}\n`
}

function measure(file: VFile): readonly Measured[] {
  return blocksOf(file)
    .flatMap(({ sentences }) => sentences)
    .filter(({ isComplete }) => isComplete)
    .map((sentence) => ({ words: sentence.words, isPassive: isPassive(sentence) }))
}

function isPassive({ text, nodes }: Sentence): boolean {
  if (regularPassive.test(text)) return true
  const report = new VFile()
  reportPassive({ type: 'RootNode', children: [{ type: 'SentenceNode', children: [...nodes] }] }, report)
  return report.messages.length > 0
}
