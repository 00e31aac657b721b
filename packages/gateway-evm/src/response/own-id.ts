import { Buffer } from 'node:buffer'
import { randomInt } from 'node:crypto'
import { Http1Error, type ResponseCheck } from '@fairlead/http1'
import { parseJson } from '@fairlead/gateway-core/json'
import { ResponseInspector } from '@fairlead/gateway-core/redaction/response-inspector'

const [minId, maxId] = [100_000_000, 999_999_999]
// The beginning and the end of most responses.
const idFirst = '{"jsonrpc":"2.0","id":'
const idLast = ',"id":'
const [comma, openBracket] = [0x2c, 0x5b]
// Two responses in one body, or the same text in a string.
const endAndBegin = /\}\s*\{/
const tooManyRequests = 429

// Processes begin with different ids, so that a proxy that confuses their responses is noticed too.
let lastId = randomInt(minId, maxId)

/**
 * Returns an id that no other call of this process has in flight. All ids have nine digits: every server returns such a
 * number unchanged.
 */
export function nextId(): number {
  lastId = lastId === maxId ? minId : lastId + 1
  return lastId
}

/**
 * The id of a call to an upstream. A response with another id belongs to another call.
 *
 * @see JSON-RPC 2.0, section 5
 */
export class OwnId implements ResponseCheck {
  readonly text = String(nextId())
  /** Offset of the id in the body of the response, once it was found. */
  from: number | undefined = undefined
  /** Offset of the end of the id. */
  to: number | undefined = undefined
  #mayBeMissing = false
  #isServerError = false
  #inspector: ResponseInspector | undefined = undefined

  /**
   * Servers return an error without an id when they have not read the request: also, if they receive too many calls. A
   * page with HTTP 5xx needs no id either: it names no call, and a second request would add to the load in an outage.
   */
  begin(status: number, isAlone: boolean): void {
    this.#mayBeMissing = isAlone || status === tooManyRequests
    this.#isServerError = status >= 500
    this.from = this.to = this.#inspector = undefined
  }

  /** Also rejects an object that is cut off. */
  onBody(latin1: string): void {
    if (latin1.startsWith('{') && !latin1.trimEnd().endsWith('}'))
      throw new Http1Error('malformed', 'The response of the upstream is incomplete.')
    const mayBeTwo = endAndBegin.test(latin1)
    if (mayBeTwo || !this.#findQuickly(latin1)) this.#check(Buffer.from(latin1, 'latin1'), true)
  }

  /** Also rejects an error after a result: it would be forwarded unchanged, and could name the upstream. */
  onPart(bytes: Uint8Array): void {
    const { hasErrorAfterResult } = this.#check(bytes, false)
    if (hasErrorAfterResult) throw new Http1Error('malformed', 'The response has both a result and an error.')
  }

  /** Finds the id where most servers write it: as the second member, or as the last one. */
  #findQuickly(latin1: string): boolean {
    const { text } = this
    if (latin1.startsWith(idFirst) && latin1.startsWith(text, idFirst.length)) {
      this.from = idFirst.length
      this.to = this.from + text.length
      return latin1.charCodeAt(this.to) === comma
    }
    const end = latin1.endsWith('\n') ? latin1.length - 2 : latin1.length - 1
    const from = end - text.length
    if (!latin1.startsWith('{') || !latin1.startsWith(`${idLast}${text}}`, from - idLast.length)) return false
    this.from = from
    this.to = end
    return true
  }

  /** @param isWhole - whether the bytes are a whole body */
  #check(bytes: Uint8Array, isWhole: boolean): ResponseInspector {
    // The response to a batch.
    if (!this.#inspector && bytes[0] === openBracket) throw mismatched()
    const inspector = (this.#inspector ??= new ResponseInspector())
    inspector.inspect(bytes)
    const { idText = 'null', isObject, isOver, hasResult, hasError } = inspector
    if (inspector.hasMore) throw mismatched()
    this.from = inspector.idFrom
    if (idText !== 'null') {
      if (!this.equals(parseJson(idText))) throw mismatched()
      this.to = inspector.idTo
    } else if (isWhole || isObject === false || isOver || (inspector.idText !== undefined && hasResult)) {
      const mayBeMissing = this.#mayBeMissing || (this.#isServerError && isObject !== true)
      if ((hasResult && !hasError) || !mayBeMissing) throw mismatched()
      this.from = undefined
    }
    return inspector
  }

  /** Whether a parsed id is this one. Some servers return a number as a string. */
  equals(id: unknown): boolean {
    return (typeof id === 'number' || typeof id === 'string') && String(id) === this.text
  }
}

/** Creates the failure for a response that belongs to another call. */
export function mismatched(): Http1Error {
  return new Http1Error('mismatched', 'The response of the upstream belongs to another call.')
}
