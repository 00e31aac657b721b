import { redactDeep } from '../redaction/redact-deep.ts'
import { parseJson } from '../json.ts'

/** Maximum length of a plain text that is forwarded. */
const maxTextLength = 1_000

/** An error of an API, before it is serialized in the format of that API. */
export interface NodeError {
  /** HTTP status. */
  readonly status: number
  readonly message: string
  /** Error code of the upstream that replaces the status. */
  readonly code?: number | undefined
  /** Failures of the items of a batch. */
  readonly failures?: readonly Failure[] | undefined
}

/** The format of an upstream API. */
export interface ApiFormat {
  /** Serializes an error as the JSON body that the clients of the API expect. */
  readonly writeError: (error: NodeError) => string
  /** Prefix of API-specific headers; none when omitted. */
  readonly headerPrefix?: string | undefined
}

/**
 * Parses an error response of an upstream in any format.
 *
 * @param status - HTTP status of the response
 * @param text - body of the response, as far as it was read
 * @param type - its media type
 * @param secrets - texts that must not be forwarded
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
    message: message === undefined ? `The upstream returned HTTP ${status}.` : redactDeep(message, secrets),
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

/** The failure of one item of a batch. */
interface Failure {
  readonly index: number
  readonly message: string
}

function readError(text: string, type = ''): ErrorParts {
  if (/^(?:application\/json|[^;]+\+json)\b/i.test(type) || /^\s*\{/.test(text)) return readJson(text)
  // An HTML page of a proxy is meant for browsers.
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
    // Servers have different formats, in which the plain reason is in one of these members.
    message: [message, error, result, detail].find((words) => typeof words === 'string'),
    failures: Array.isArray(failures) ? failures.filter(isFailure) : undefined,
  }
}

function isFailure(value: unknown): value is Failure {
  if (typeof value !== 'object' || value === null) return false
  const { index, message } = value as Readonly<Record<string, unknown>>
  return typeof index === 'number' && typeof message === 'string'
}
