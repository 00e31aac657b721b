import { type DestinationStream, pino } from 'pino'

/**
 * Opens a log destination that survives write errors, such as a full disk: lines that cannot be written are dropped, and
 * logging resumes with the first write that succeeds.
 *
 * @param fd - open file descriptor
 */
export function openLogDestination(fd: number): DestinationStream {
  // A destination buffers unwritten lines without a limit, and its flushSync never returns on a full disk.
  const open = () => pino.destination({ dest: fd, sync: true }).on('error', () => (destination = open()))
  let destination = open()
  return { write: (line) => void destination.write(line) }
}
