/**
 * The path of a request target, without its query. A proxy may send an absolute URL instead, which a server has to
 * accept.
 *
 * @see RFC 9112, section 3.2.2
 */
export function requestPath(target: string): string {
  const path = target.split('?', 1)[0] ?? ''
  const absolute = /^https?:\/\/[^/]+(\/.*)?$/i.exec(path)
  return absolute ? (absolute[1] ?? '/') : path
}
