/** The failure of an exchange. Its message never contains the URL of the upstream. */
export class Http1Error extends Error {
  override readonly name = 'Http1Error'
  /**
   * `connect_failed`: the upstream has received nothing of the call; `reset`: it may have; `timeout`: the response timed
   * out; `malformed`: the bytes received are not HTTP/1.1; `mismatched`: the response belongs to another call;
   * `aborted`: the caller cancelled it.
   */
  readonly kind: 'connect_failed' | 'reset' | 'timeout' | 'malformed' | 'mismatched' | 'aborted'

  constructor(kind: Http1Error['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** The failure for bytes that are not a valid response. */
export function malformed(reason: string): Http1Error {
  return new Http1Error('malformed', `The response of the upstream is not valid HTTP/1.1: ${reason}.`)
}
