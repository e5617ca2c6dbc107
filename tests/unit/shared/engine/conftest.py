import pytest

from tests.builders.small_service import SmallService
from tests.fakes.settable_clock import SettableClock


@pytest.fixture
async def service():
    service = SmallService()
    await service.open()
    return service


@pytest.fixture
def clock():
    return SettableClock()
