/** The failure of an exchange. Its message never contains the URL of the upstream. */
export class Http1Error extends Error {
  override readonly name = 'Http1Error'
  /**
   * `unconnected`: the upstream has received nothing of the call; `broken`: it may have; `late`: the response timed
   * out; `malformed`: the bytes received are not HTTP/1.1; `aborted`: the caller cancelled it.
   */
  readonly kind: 'unconnected' | 'broken' | 'late' | 'malformed' | 'aborted'

  constructor(kind: Http1Error['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** The failure for bytes that are not a valid response. */
export function malformed(reason: string): Http1Error {
  return new Http1Error('malformed', `The upstream's answer is no HTTP/1.1: ${reason}.`)
}
