// SPDX-License-Identifier: MPL-2.0

// messages.js pairs each sending with what became of it. TCP segments and UDP
// datagrams travel as messages of the network too.

const delivered = 0, dropped = 1, duplicated = 2, underway = 3;
const fates = ["delivered", "dropped", "duplicated, delivered", "still under way at the end"];

// findMessages returns flights, by their start: the record of the sending, that of
// the arrival or drop (none while under way), nodes, times and fate.
function findMessages(run) {
  const sends = new Map(); // by record: where its flights stand
  const flights = [];
  const open = (i) => {
    const to = run.nodeByName.get(run.attr(i, "to")) || 0;
    const flight = { sent: i, ended: none, from: run.node[i], to, start: run.at[i], stop: run.at[i], fate: underway };
    flights.push(flight);
    return flight;
  };
  const traffic = kindsWhere(run, (kind) => ["net.send", "net.deliver", "net.drop"].includes(kind));
  for (let i = 0; i < run.count; i++) {
    if (!traffic[run.kind[i]]) continue;
    const kind = run.kindOf(i);
    if (kind === "net.send") sends.set(i, [open(i)]);
    const list = kind !== "net.send" && sends.get(run.cause[i]);
    if (!list) continue;
    let flight = list.find((f) => f.ended === none);
    if (!flight) list.push((flight = open(run.cause[i])));
    Object.assign(flight, { ended: i, stop: run.at[i], fate: kind === "net.drop" ? dropped : delivered });
    const arrived = list.filter((f) => f.fate === delivered || f.fate === duplicated);
    if (arrived.length > 1) for (const f of arrived) f.fate = duplicated;
  }
  return flights.sort((a, b) => a.start - b.start); // second copies came last
}

// flightText says in words what became of a message.
function flightText(run, flight) {
  if (flight.fate === dropped) return "dropped: " + run.attr(flight.ended, "reason");
  if (flight.ended === none) return fates[underway];
  return fates[flight.fate] + " after " + formatDuration(flight.stop - flight.start);
}
