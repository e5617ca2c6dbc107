import socket

from local.listening import bound
from local.ports import CHOICE, free_port, free_ports


def test_ports_are_free_and_none_that_an_outgoing_connection_could_take():
    ports = free_ports(20)
    assert set(ports) <= set(CHOICE)
    for port in ports:
        bound(port).close()


def test_a_port_is_not_chosen_again_before_its_server_has_started():
    assert len({*free_ports(20), *free_ports(20), free_port()}) == 41


def test_a_port_that_somebody_listens_on_is_not_chosen(monkeypatch):
    with socket.create_server(("127.0.0.1", free_port())) as taken:
        used = taken.getsockname()[1]
        monkeypatch.setattr("local.ports.CHOICE", (used, used, free_port()))
        assert used not in {free_port() for _ in range(10)}
