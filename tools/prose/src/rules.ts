import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** The rules of the prose of the project. */
export interface Rules {
  /** Longest sentence, in words without code spans and URLs. */
  readonly maxWords: number
  /** Persons of the text, who may know, want or request something. */
  readonly persons: readonly string[]
  readonly phrases: readonly Phrase[]
  readonly exceptions: readonly Exception[]
}

/** A phrase to write otherwise. */
export interface Phrase {
  readonly rule: string
  /** Regular expression on a sentence in which each code span is "…". */
  readonly pattern: string
  readonly instead: string
  /** A sentence to find. */
  readonly example: string
  /** The phrase is correct after one of the persons. */
  readonly allowsPersons?: boolean
  /** The phrase is correct in headings, table cells and fragments. */
  readonly isOfSentences?: boolean
}

/** A violation that may stay. */
export interface Exception {
  /** Path in the repository. */
  readonly file: string
  readonly rule: string
  /** Part of the sentence. */
  readonly text: string
  readonly reason: string
}

/** @param root - folder of the repository */
export function readRules(root: string): Rules {
  return parse(readFileSync(`${root}/tools/prose/rules.yaml`, 'utf8')) as Rules
}

/** Compiles the pattern of a phrase. */
export function matcherOf({ persons }: Rules, { pattern, allowsPersons }: Phrase): RegExp {
  const notAfter = allowsPersons ? `(?<!\\b(?:${persons.join('|')}) (?:\\w+ )?)` : ''
  return new RegExp(`${notAfter}(?:${pattern})`, 'gi')
}
