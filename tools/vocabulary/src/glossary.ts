import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** The vocabulary of the project. */
export interface Glossary {
  /** Definitions by term. */
  readonly terms: Readonly<Record<string, string>>
  /** What to write instead, by coined word or idiom. */
  readonly coined: Readonly<Record<string, string>>
  readonly exceptions: readonly Exception[]
}

/** A coined word that may stay in a file. */
export interface Exception {
  /** Path in the repository; `/**` at its end stands for all files below a folder. */
  readonly file: string
  readonly word: string
  readonly reason: string
}

export const glossaryFile = 'tools/vocabulary/glossary.yaml'

/** @param root - folder of the repository */
export function readGlossary(root: string): Glossary {
  return parse(readFileSync(`${root}/${glossaryFile}`, 'utf8')) as Glossary
}
