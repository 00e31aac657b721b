import { redactDeep } from '../redaction/redact-deep.ts'
import { parseJson } from '../json.ts'

/** What is passed on of a plain text. */
const maxTextLength = 1_000

/** An error of an API, before it is written in the shape of that API. */
export interface NodeError {
  /** HTTP status. */
  readonly status: number
  readonly message: string
  /** What the node has in place of the status. */
  readonly code?: number | undefined
  /** What was wrong with the items of a batch. */
  readonly failures?: readonly Failure[] | undefined
}

/** In what the APIs of nodes differ. */
export interface ApiFormat {
  /** Writes an error as the JSON body that the clients of the API expect. */
  readonly writeError: (error: NodeError) => string
  /** How the names of headers begin that the API has beside those of HTTP; none when left out. */
  readonly headerPrefix?: string | undefined
}

/**
 * Reads an error that a node answered, whatever shape it came in.
 *
 * @param status - HTTP status of the answer
 * @param text - body of the answer, as far as it was read
 * @param type - its media type
 * @param secrets - texts that must not be passed on
 */
export function readNodeError(
  status: number,
  text: string,
  type: string | undefined,
  secrets: readonly string[],
): NodeError {
  const { code, message, failures } = readError(text, type)
  return {
    status,
    code,
    message: message === undefined ? `The node answered HTTP ${status}.` : redactDeep(message, secrets),
    failures: failures?.map(({ index, message: reason }) => ({
      index,
      message: redactDeep(reason, secrets),
    })),
  }
}

interface ErrorParts {
  readonly code?: number | undefined
  readonly message?: string | undefined
  readonly failures?: readonly Failure[] | undefined
}

/** What was wrong with one item of a batch. */
interface Failure {
  readonly index: number
  readonly message: string
}

function readError(text: string, type = ''): ErrorParts {
  if (/^(?:application\/json|[^;]+\+json)\b/i.test(type) || /^\s*\{/.test(text)) return readJson(text)
  // A page that a proxy made is for people with a browser.
  const isPlain = type === '' || /^text\/plain\b/i.test(type)
  const words = text.replaceAll(/\p{Cc}+/gu, ' ').trim()
  return isPlain && words !== '' ? { message: words.slice(0, maxTextLength) } : {}
}

function readJson(text: string): ErrorParts {
  const value = parseJson(text)
  if (typeof value === 'string') return { message: value }
  if (typeof value !== 'object' || value === null) return {}
  const { code, message, error, result, detail, failures } = value as Readonly<Record<string, unknown>>
  return {
    code: typeof code === 'number' ? code : undefined,
    // Servers have their own shapes, in which the plain reason stands under one of these.
    message: [message, error, result, detail].find((words) => typeof words === 'string'),
    failures: Array.isArray(failures) ? failures.filter(isFailure) : undefined,
  }
}

function isFailure(value: unknown): value is Failure {
  if (typeof value !== 'object' || value === null) return false
  const { index, message } = value as Readonly<Record<string, unknown>>
  return typeof index === 'number' && typeof message === 'string'
}
