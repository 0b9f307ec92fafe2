"""Orders of a judge: a process may end at any time, also while another one is being started or asked after."""

from __future__ import annotations

from kernelgate.messages.channel import Channel, channel_pair
from kernelgate.messages.fork_server import Ended, Order, Start, Started, Stop
from kernelgate.processes.orders import Orders


def test_the_end_of_one_process_is_heard_while_another_starts() -> None:
    control, theirs = channel_pair()
    server = Channel(theirs)
    server.send(Ended(7, -9))
    server.send(Started(8))
    orders = Orders(control)
    assert orders.start(Start("worker"), []) == 8
    assert orders.end_of(7, timeout_s=0.0) == -9
    assert orders.end_of(8, timeout_s=0.01) is None
    orders.stop(8)
    server.send(Ended(8, 0))
    assert orders.end_of(8, timeout_s=5.0) == 0
    assert [type(server.receive(Order)[0]) for _ in range(2)] == [Start, Stop]


def test_an_id_that_is_used_again_belongs_to_the_new_process() -> None:
    control, theirs = channel_pair()
    server = Channel(theirs)
    server.send(Ended(7, 0))
    server.send(Started(7))
    orders = Orders(control)
    assert orders.start(Start("worker"), []) == 7
    assert orders.end_of(7, timeout_s=0.01) is None


def test_where_the_fork_server_is_gone_no_end_is_heard() -> None:
    control, server = channel_pair()
    server.close()
    orders = Orders(control)
    orders.stop(7)
    assert orders.end_of(7, timeout_s=5.0) is None
